/* options: -DGPIORIG_VARIANT_EMPTY -DGPIORIG_LOG=8 -DGPIORIG_SPAN_APP_TX=GPIORIG_PIN_LINE(0) */
#include "unit.h"

uint32_t gpiorig_now(void)
{
    return 0;
}

/** Nothing on the pins, so no frame is claimed; time passes and the log is kept. */
static void test_an_event_takes_its_time_and_does_not_show(void)
{
    struct gpiorig_record record;

    GPIORIG_EVENT_ID(RIG_MARKER, 1);
    GPIORIG_ENTER(APP_TX);
    ASSERT_EQUAL(0, gpiorig_host.count);
    ASSERT_EQUAL(14 * 4 + 12, gpiorig_host.time);
    ASSERT_EQUAL(0, gpiorig_frames());
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_TEXT("empty", GPIORIG_VARIANT_NAME);
}

int main(void)
{
    RUN_TEST(test_an_event_takes_its_time_and_does_not_show);
    return failures != 0;
}
