/* options: -DGPIORIG_SELFTEST -DGPIORIG_SPAN_ISR_RADIO=9 -DGPIORIG_MASK_APP_RX=0 -DGPIORIG_MASK_GROUP_UDP=0 */
#include "unit.h"

static uint8_t absent[8];
static unsigned absences;

static void note_absence(uint8_t code)
{
    absent[absences++] = code;
}

static const uint8_t expected[] = { GPIORIG_APP_TX_ENTER, GPIORIG_ISR_RADIO_ENTER, GPIORIG_MAC_SEQUENCE };

static void test_nothing_is_missing(void)
{
    gpiorig_selftest_begin();
    GPIORIG_ENTER(APP_TX);
    GPIORIG_ENTER(ISR_RADIO);
    GPIORIG_EVENT_ID(MAC_SEQUENCE, 3);
    ASSERT_EQUAL(0, gpiorig_selftest_end(expected, 3, NULL));
}

static void test_what_is_missing_is_named(void)
{
    absences = 0;
    gpiorig_selftest_begin();
    GPIORIG_ENTER(APP_TX);
    ASSERT_EQUAL(2, gpiorig_selftest_end(expected, 3, note_absence));
    ASSERT_EQUAL(2, absences);
    ASSERT_TEXT("isr.radio.enter", gpiorig_name(absent[0]));
    ASSERT_TEXT("mac.sequence", gpiorig_name(absent[1]));
}

static void test_events_are_counted(void)
{
    gpiorig_selftest_begin();
    for (uint32_t i = 0; i < 70000; i++) {
        GPIORIG_EXIT(ISR_RADIO);
    }
    GPIORIG_EVENT(RIG_BOOT);
    GPIORIG_EVENT(RIG_BOOT);
    ASSERT_EQUAL(65535, gpiorig_selftest_count(GPIORIG_ISR_RADIO_EXIT));
    ASSERT_EQUAL(2, gpiorig_selftest_count(GPIORIG_RIG_BOOT));
    ASSERT_EQUAL(0, gpiorig_selftest_count(GPIORIG_ISR_RADIO_ENTER));
}

/** Omitted from the build: a point, and a group of points. */
static void test_what_is_left_out_does_not_come(void)
{
    gpiorig_selftest_begin();
    GPIORIG_ENTER(APP_RX);
    GPIORIG_EXIT_ID(UDP_TX, 1);
    ASSERT_EQUAL(0, gpiorig_host.count);
    ASSERT_EQUAL(0, gpiorig_selftest_count(GPIORIG_APP_RX_ENTER));
    ASSERT_EQUAL(0, gpiorig_selftest_count(GPIORIG_UDP_TX_EXIT));
}

int main(void)
{
    RUN_TEST(test_nothing_is_missing);
    RUN_TEST(test_what_is_missing_is_named);
    RUN_TEST(test_events_are_counted);
    RUN_TEST(test_what_is_left_out_does_not_come);
    return failures != 0;
}
