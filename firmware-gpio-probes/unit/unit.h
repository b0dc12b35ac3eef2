/**
 * Unit tests of the library on the PC, in the manner of ThrowTheSwitch's Unity, which Debian does not have: a test is a
 * function, RUN_TEST runs it, the first wrong assertion ends it. Each file is a program; tests/firmware/test_unit.py
 * builds it with the options that its line "options:" gives, and reads FILE:LINE:TEST:PASS or FAIL.
 */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "gpiorig/probe.h"
#include "host/port.h"

#define STORES 256

static struct gpiorig_host_store stores[STORES];
struct gpiorig_host gpiorig_host;

static jmp_buf test_end;
static const char *test_name;
static unsigned failures;

static inline void fail(const char *file, int line, const char *what, long expected, long actual)
{
    printf("%s:%d:%s:FAIL: %s: expected %ld, was %ld\n", file, line, test_name, what, expected, actual);
    failures++;
    longjmp(test_end, 1);
}

static inline void reset_host(void)
{
    gpiorig_host = (struct gpiorig_host){ .stores = stores, .capacity = STORES, .hold = 4, .quiet = 16 };
}

#define ASSERT_EQUAL(expected, actual)                                           \
    do {                                                                         \
        if ((long)(expected) != (long)(actual)) {                                \
            fail(__FILE__, __LINE__, #actual, (long)(expected), (long)(actual)); \
        }                                                                        \
    } while (0)

#define ASSERT_TEXT(expected, actual) ASSERT_EQUAL(0, strcmp((expected), (actual)))

/**
 * Each test begins after a reset: what the library keeps is as the tests before left it, except lines, time and mask.
 */
#define RUN_TEST(test)                                                \
    do {                                                              \
        test_name = #test;                                            \
        reset_host();                                                 \
        gpiorig_init();                                               \
        gpiorig_host.count = 0;                                       \
        gpiorig_host.time = 0;                                        \
        if (setjmp(test_end) == 0) {                                  \
            test();                                                   \
            ASSERT_EQUAL(0, gpiorig_host.locks);                      \
            printf("%s:%d:%s:PASS\n", __FILE__, __LINE__, test_name); \
        }                                                             \
    } while (0)

#endif
