/** What the files of this module share, and what an application may ask of it. */
#ifndef GPIORIG_CONTIKI_H
#define GPIORIG_CONTIKI_H

#include "contiki.h"
#include "sys/rtimer.h"

#include "gpiorig/probe.h"

/**
 * Ticks of the rtimer, made 32 bits wide with the clock's, which count the same crystal where the rtimer has 16 (sky: 32768
 * a second, a tick is 30.5 us).
 */
static inline uint32_t rtimer_wide_now(void)
{
    uint32_t coarse = (uint32_t)clock_time() * (uint32_t)(RTIMER_SECOND / CLOCK_SECOND);

    if (sizeof(rtimer_clock_t) > 2) {
        return (uint32_t)RTIMER_NOW();
    }
    return coarse + (uint32_t)(int32_t)(int16_t)((uint16_t)RTIMER_NOW() - (uint16_t)coarse);
}

#ifndef GPIORIG_OFF

/* --wrap=X sends what refers to X to __wrap_X, and makes __real_X the X. For data as well as for functions. */
#define GPIORIG_PASTE_(a, b) a##b
#define GPIORIG_PASTE(a, b) GPIORIG_PASTE_(a, b)
#define GPIORIG_WRAP(symbol) GPIORIG_PASTE(__wrap_, symbol)
#define GPIORIG_REAL(symbol) GPIORIG_PASTE(__real_, symbol)

/** Processes that can be hooked, connections that can: what comes later runs without probes, and is counted. */
#ifndef GPIORIG_PROCESSES
#define GPIORIG_PROCESSES 16
#endif
#ifndef GPIORIG_CONNECTIONS
#define GPIORIG_CONNECTIONS 4
#endif

/** In queue.post: a poll of a process, where the event queue has the process's number. */
#define GPIORIG_POLL 0x100u

/**
 * The packet's id: the last two bytes of its payload, big endian. Every layer down to the radio has them at the end of what
 * it holds, unless a security layer adds a MIC, or the packet is not the last fragment. 0 for what is too short to have one,
 * as an acknowledgement is (3 bytes).
 */
static inline uint16_t gpiorig_tail(const void *bytes, uint16_t length)
{
    const uint8_t *end = (const uint8_t *)bytes + length;

    return length < 5 ? 0 : (uint16_t)((uint16_t)end[-2] << 8 | end[-1]);
}

/** Number of a process, from 1, in the order in which they were first started; 0 for PROCESS_BROADCAST, 0xff unknown. */
uint16_t gpiorig_process_number(const struct process *process);

/** The process of a number; NULL after the last. */
struct process *gpiorig_process(uint16_t number);

/** Processes, connections and MAC callbacks that found no room, since reset: with any, spans are missing. */
extern uint16_t gpiorig_unhooked;

#endif
#endif
