/* options: */
#include "unit.h"

static void test_all_events_are_enabled_at_first(void)
{
    for (uint32_t code = 1; code < 128; code++) {
        ASSERT_EQUAL(true, gpiorig_enabled(code));
    }
}

static void test_a_masked_event_is_not_sent(void)
{
    uint32_t before = gpiorig_frames();

    gpiorig_enable(GPIORIG_RIG_MARKER, false);
    GPIORIG_EVENT_ID(RIG_MARKER, 1);
    ASSERT_EQUAL(0, gpiorig_host.count);
    GPIORIG_EVENT(RIG_BOOT);
    ASSERT_EQUAL(before + 1, gpiorig_frames());
    gpiorig_enable(GPIORIG_RIG_MARKER, true);
    GPIORIG_EVENT_ID(RIG_MARKER, 1);
    ASSERT_EQUAL(before + 2, gpiorig_frames());
}

static void test_one_event_is_masked_alone(void)
{
    gpiorig_enable(17, false);
    for (uint32_t code = 1; code < 128; code++) {
        ASSERT_EQUAL(code != 17, gpiorig_enabled(code));
    }
    gpiorig_enable_all(false);
    gpiorig_enable(127, true);
    for (uint32_t code = 1; code < 128; code++) {
        ASSERT_EQUAL(code == 127, gpiorig_enabled(code));
    }
}

/** The group of a point is the first part of its name. */
static void test_a_group_is_masked_as_a_whole(void)
{
    gpiorig_enable_group(GPIORIG_GROUP_QUEUE, false);
    for (uint8_t code = 1; code < GPIORIG_CODES; code++) {
        ASSERT_EQUAL(strncmp(gpiorig_name(code), "queue.", 6) != 0, gpiorig_enabled(code));
    }
    gpiorig_enable_group(GPIORIG_GROUP_QUEUE, true);
    test_all_events_are_enabled_at_first();
}

static void test_a_code_beyond_the_bus_does_no_harm(void)
{
    gpiorig_enable(200, true);
    test_all_events_are_enabled_at_first();
}

static void test_names(void)
{
    ASSERT_TEXT("rig.boot", gpiorig_name(GPIORIG_RIG_BOOT));
    ASSERT_TEXT("app.tx.exit", gpiorig_name(GPIORIG_APP_TX_EXIT));
    ASSERT_TEXT("?", gpiorig_name(0));
    ASSERT_TEXT("?", gpiorig_name(255));
}

int main(void)
{
    ASSERT_EQUAL(false, gpiorig_enabled(GPIORIG_RIG_BOOT)); /* before gpiorig_init() */
    RUN_TEST(test_all_events_are_enabled_at_first);
    RUN_TEST(test_a_masked_event_is_not_sent);
    RUN_TEST(test_one_event_is_masked_alone);
    RUN_TEST(test_a_group_is_masked_as_a_whole);
    RUN_TEST(test_a_code_beyond_the_bus_does_no_harm);
    RUN_TEST(test_names);
    return failures != 0;
}
