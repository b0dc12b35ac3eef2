/* options: -DGPIORIG_LOG=2 -DGPIORIG_PINS=0 -DGPIORIG_SPAN_ISR_RADIO=GPIORIG_PIN_LINE(1) */
#include "unit.h"

uint32_t gpiorig_now(void)
{
    return 5;
}

static void test_events_go_to_the_log_and_not_to_the_pins(void)
{
    struct gpiorig_record record;

    gpiorig_wiring_proof();
    GPIORIG_ENTER(ISR_RADIO);
    ASSERT_EQUAL(0, gpiorig_host.count);
    ASSERT_EQUAL(0, gpiorig_frames());
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_EQUAL(GPIORIG_RIG_BOOT, record.header);
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_EQUAL(GPIORIG_ISR_RADIO_ENTER, record.header);
}

int main(void)
{
    RUN_TEST(test_events_go_to_the_log_and_not_to_the_pins);
    return failures != 0;
}
