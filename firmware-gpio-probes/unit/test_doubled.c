/* options: -DGPIORIG_VARIANT_DOUBLED -DGPIORIG_LOG=8 -DGPIORIG_SELFTEST -DGPIORIG_WIDTH=4 */
#include "unit.h"

static unsigned asked;

uint32_t gpiorig_now(void)
{
    return asked++;
}

/** On the pins, in the count, in the log and in the self-test an event is there once; time passes twice. */
static void test_an_event_shows_once_and_costs_twice(void)
{
    struct gpiorig_record record;

    gpiorig_selftest_begin();
    GPIORIG_EVENT(RIG_BOOT);
    ASSERT_EQUAL(3, gpiorig_host.count);
    ASSERT_EQUAL(2 * (3 * 4 + 12), gpiorig_host.time);
    ASSERT_EQUAL(1, gpiorig_frames());
    ASSERT_EQUAL(1, gpiorig_selftest_count(GPIORIG_RIG_BOOT));
    ASSERT_EQUAL(2, asked);
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_EQUAL(0, record.time);
    ASSERT_EQUAL(false, gpiorig_log_read(&record));
    GPIORIG_EVENT(RIG_BOOT);
    ASSERT_EQUAL(1, stores[3].pins & 1u ? 0 : 1); /* an odd number of symbols: the strobe continues where it was */
    ASSERT_EQUAL(6, gpiorig_host.count);
    ASSERT_TEXT("doubled", GPIORIG_VARIANT_NAME);
}

int main(void)
{
    RUN_TEST(test_an_event_shows_once_and_costs_twice);
    return failures != 0;
}
