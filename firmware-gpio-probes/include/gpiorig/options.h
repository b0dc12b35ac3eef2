/**
 * What a build of the probe library is made of, checked here:
 *
 *     -DGPIORIG_PORT=<folder under ports/>
 *     -DGPIORIG_OFF                  every call vanishes: no code, no symbol
 *     -DGPIORIG_VARIANT_EMPTY        the stores to the pins are omitted, everything else stays
 *     -DGPIORIG_VARIANT_DOUBLED      every event costs twice; the pins show it once
 *     -DGPIORIG_WIDTH=0|1|2|4|8      data lines of the bus; 0: no bus, only span lines
 *     -DGPIORIG_PINS=0               neither bus nor span lines: the events go to the log only
 *     -DGPIORIG_LOG=RECORDS          a ring of that many records (a power of two) in RAM, 8 bytes each
 *     -DGPIORIG_SELFTEST             counts every event between gpiorig_selftest_begin() and _end()
 *     -DGPIORIG_MASK_<POINT>=0, -DGPIORIG_MASK_GROUP_<GROUP>=0   leaves a point, or a group of points, out of the build
 *     -DGPIORIG_SPAN_<POINT>=<pin>, -DGPIORIG_HEARTBEAT_LINE=<pin>   a line of its own
 * and what the port sets can be overridden: pins, clock, hold.
 */
#ifndef GPIORIG_OPTIONS_H
#define GPIORIG_OPTIONS_H

#if defined GPIORIG_VARIANT_EMPTY && defined GPIORIG_VARIANT_DOUBLED
#error "gpiorig: GPIORIG_VARIANT_EMPTY and GPIORIG_VARIANT_DOUBLED exclude each other"
#endif

#ifdef GPIORIG_OFF
#define GPIORIG_VARIANT_NAME "off"
#elif defined GPIORIG_VARIANT_EMPTY
#define GPIORIG_VARIANT_NAME "empty"
#elif defined GPIORIG_VARIANT_DOUBLED
#define GPIORIG_VARIANT_NAME "doubled"
#else
#define GPIORIG_VARIANT_NAME "normal"
#endif

#ifdef GPIORIG_OFF
#undef GPIORIG_LOG
#undef GPIORIG_SELFTEST
#undef GPIORIG_PINS
#define GPIORIG_PINS 0
#endif

#ifndef GPIORIG_PINS
#define GPIORIG_PINS 1
#endif
#ifndef GPIORIG_LOG
#define GPIORIG_LOG 0
#endif
#if (GPIORIG_LOG) != 0 && ((GPIORIG_LOG) < 2 || (GPIORIG_LOG) > 32768 || ((GPIORIG_LOG) & ((GPIORIG_LOG) - 1)) != 0)
#error "gpiorig: GPIORIG_LOG is the number of records of the log, a power of two from 2 to 32768"
#endif

/** Whether events have other takers than the pins. */
#if (GPIORIG_LOG) != 0 || defined GPIORIG_SELFTEST
#define GPIORIG_NOTES 1
#else
#define GPIORIG_NOTES 0
#endif

#ifndef GPIORIG_OFF

#ifndef GPIORIG_PORT
#error "gpiorig: no port chosen; build with -DGPIORIG_PORT=<a folder under firmware-gpio-probes/ports>"
#endif
#define GPIORIG_TEXT_(x) #x
#define GPIORIG_TEXT(x) GPIORIG_TEXT_(x)
#ifdef __has_include /* from GCC 5 on; Contiki-NG builds for the TelosB with 4.7 */
#if !__has_include(GPIORIG_TEXT(GPIORIG_PORT/port.h))
#error "gpiorig: unknown port; GPIORIG_PORT must name a folder with a port.h, below -I firmware-gpio-probes/ports"
#endif
#endif

#if !GPIORIG_PINS
#undef GPIORIG_WIDTH
#define GPIORIG_WIDTH 0
#endif

#define GPIORIG_NO_PIN (-1)
#ifndef GPIORIG_HEARTBEAT_LINE
#define GPIORIG_HEARTBEAT_LINE GPIORIG_NO_PIN
#endif

/* Inline even under -Os, or the check of a constant code would be worked out at run time. */
#define GPIORIG_INLINE static inline __attribute__((always_inline))

#include GPIORIG_TEXT(GPIORIG_PORT/port.h)

#ifndef GPIORIG_WIDTH
#define GPIORIG_WIDTH GPIORIG_PORT_WIDTH
#endif
#if GPIORIG_WIDTH != 0 && GPIORIG_WIDTH != 1 && GPIORIG_WIDTH != 2 && GPIORIG_WIDTH != 4 && GPIORIG_WIDTH != 8
#error "gpiorig: GPIORIG_WIDTH must be 0, 1, 2, 4 or 8"
#endif

#endif /* GPIORIG_OFF */
#endif
