/* options: -DGPIORIG_SPAN_APP_TX=GPIORIG_PIN_LINE(0) -DGPIORIG_HEARTBEAT_LINE=GPIORIG_PIN_LINE(1) -DGPIORIG_WIDTH=0 */
#include "unit.h"

#define LEVEL(line) (gpiorig_host.pins >> GPIORIG_PIN_LINE(line) & 1u)

static void test_a_span_line_is_high_from_enter_to_exit(void)
{
    GPIORIG_ENTER_ID(APP_TX, 9);
    ASSERT_EQUAL(1, LEVEL(0));
    GPIORIG_EXIT(APP_TX);
    ASSERT_EQUAL(0, LEVEL(0));
    ASSERT_EQUAL(2, gpiorig_host.count);
}

static void test_without_a_bus_other_events_are_nothing(void)
{
    GPIORIG_EVENT(RIG_BOOT);
    GPIORIG_ENTER(APP_RX);
    gpiorig_wiring_proof();
    gpiorig_calibrate(3);
    ASSERT_EQUAL(0, gpiorig_host.count);
    ASSERT_EQUAL(0, gpiorig_frames());
}

static void test_the_heartbeat_line_changes_with_each(void)
{
    gpiorig_heartbeat();
    ASSERT_EQUAL(1, LEVEL(1));
    gpiorig_heartbeat();
    ASSERT_EQUAL(0, LEVEL(1));
}

int main(void)
{
    RUN_TEST(test_a_span_line_is_high_from_enter_to_exit);
    RUN_TEST(test_without_a_bus_other_events_are_nothing);
    RUN_TEST(test_the_heartbeat_line_changes_with_each);
    return failures != 0;
}
