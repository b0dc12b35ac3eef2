/* options: -DGPIORIG_LOG=8 -DGPIORIG_SPAN_ISR_RADIO=GPIORIG_PIN_LINE(1) */
#include "unit.h"

static uint32_t now;
static bool was_masked;

uint32_t gpiorig_now(void)
{
    was_masked = gpiorig_host.locks != 0;
    return now++;
}

static void drain(void)
{
    struct gpiorig_record record;

    while (gpiorig_log_read(&record)) {
    }
}

static void test_an_event_is_logged_and_shown(void)
{
    struct gpiorig_record record;

    now = 0xfffffffe;
    GPIORIG_EVENT(RIG_BOOT);
    GPIORIG_EVENT_ID(RIG_MARKER, 0xabcd);
    ASSERT_EQUAL(true, was_masked);
    ASSERT_EQUAL(true, gpiorig_host.count != 0);
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_EQUAL(GPIORIG_RIG_BOOT, record.header);
    ASSERT_EQUAL(0xfffffffe, record.time);
    uint8_t first = record.number;
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_EQUAL(GPIORIG_RIG_MARKER | GPIORIG_ID_FOLLOWS, record.header);
    ASSERT_EQUAL(0xabcd, record.id);
    ASSERT_EQUAL(0xffffffff, record.time);
    ASSERT_EQUAL((uint8_t)(first + 1), record.number);
    ASSERT_EQUAL(false, gpiorig_log_read(&record));
}

static void test_an_event_on_a_span_line_is_logged_with_its_id(void)
{
    struct gpiorig_record record;

    GPIORIG_ENTER_ID(ISR_RADIO, 7);
    ASSERT_EQUAL(1, gpiorig_host.count);
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_EQUAL(GPIORIG_ISR_RADIO_ENTER | GPIORIG_ID_FOLLOWS, record.header);
    ASSERT_EQUAL(7, record.id);
}

/** It keeps its line: a store is cheaper than the question. */
static void test_a_masked_event_is_not_logged(void)
{
    struct gpiorig_record record;

    gpiorig_enable_all(false);
    GPIORIG_EVENT(RIG_BOOT);
    GPIORIG_EXIT(ISR_RADIO);
    ASSERT_EQUAL(false, gpiorig_log_read(&record));
    ASSERT_EQUAL(1, gpiorig_host.count);
}

static void test_of_too_many_events_the_newest_are_lost_and_counted(void)
{
    struct gpiorig_record record;
    uint32_t lost = gpiorig_log_lost();

    for (uint16_t id = 0; id < 11; id++) {
        GPIORIG_EVENT_ID(RIG_MARKER, id);
    }
    ASSERT_EQUAL(lost + 3, gpiorig_log_lost());
    for (uint16_t id = 0; id < 8; id++) {
        ASSERT_EQUAL(true, gpiorig_log_read(&record));
        ASSERT_EQUAL(id, record.id);
    }
    ASSERT_EQUAL(false, gpiorig_log_read(&record));
    uint8_t last = record.number;
    GPIORIG_EVENT(RIG_BOOT);
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    ASSERT_EQUAL((uint8_t)(last + 4), record.number); /* three are missing */
}

/** More than the indices hold: they wrap at 65536, which the ring's length divides. */
static void test_the_ring_goes_round(void)
{
    struct gpiorig_record record;
    uint32_t lost = gpiorig_log_lost();

    for (uint32_t i = 0; i < 70000; i++) {
        GPIORIG_EVENT_ID(RIG_MARKER, (uint16_t)i);
        ASSERT_EQUAL(true, gpiorig_log_read(&record));
        ASSERT_EQUAL((uint16_t)i, record.id);
        gpiorig_host.count = 0;
    }
    ASSERT_EQUAL(lost, gpiorig_log_lost());
}

static void test_a_line_of_text(void)
{
    char text[GPIORIG_LOG_LINE], expected[GPIORIG_LOG_LINE];
    struct gpiorig_record record;

    GPIORIG_EVENT(RIG_BOOT);
    ASSERT_EQUAL(true, gpiorig_log_read(&record));
    now = 0x1234;
    GPIORIG_EVENT(RIG_BOOT);
    GPIORIG_EVENT_ID(RIG_MARKER, 0xabcd);
    sprintf(expected, "log lost=%08x %02x0100001234 %02x83abcd00001235", (unsigned)gpiorig_log_lost(),
            (record.number + 1u) & 0xffu, (record.number + 2u) & 0xffu);
    ASSERT_EQUAL(strlen(expected), gpiorig_log_line(text));
    ASSERT_TEXT(expected, text);
    ASSERT_EQUAL(0, gpiorig_log_line(text));
    ASSERT_TEXT("", text);
}

static void test_a_line_holds_no_more_than_its_buffer(void)
{
    char text[GPIORIG_LOG_LINE + 1];
    unsigned records = 0;

    text[GPIORIG_LOG_LINE] = '#';
    for (uint16_t id = 0; id < 8; id++) {
        GPIORIG_EVENT_ID(RIG_MARKER, id);
    }
    for (unsigned length; (length = gpiorig_log_line(text)) != 0;) {
        ASSERT_EQUAL(strlen(text), length);
        records += (length - 17) / 17; /* "log lost=00000000", and 17 for each record with an id */
        ASSERT_EQUAL('#', text[GPIORIG_LOG_LINE]);
    }
    ASSERT_EQUAL(8, records);
}

int main(void)
{
    RUN_TEST(test_an_event_is_logged_and_shown);
    RUN_TEST(test_an_event_on_a_span_line_is_logged_with_its_id);
    RUN_TEST(test_a_masked_event_is_not_logged);
    RUN_TEST(test_of_too_many_events_the_newest_are_lost_and_counted);
    drain();
    RUN_TEST(test_the_ring_goes_round);
    RUN_TEST(test_a_line_of_text);
    RUN_TEST(test_a_line_holds_no_more_than_its_buffer);
    return failures != 0;
}
