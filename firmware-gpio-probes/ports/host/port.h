/**
 * gpiorig port: the PC. Stores go, with their time, into a buffer the host program gives; the very same probe.c runs.
 * A pins word has the strobe in bit 0, data line i in bit i + 1 and span line i in bit i + 9. Time is in samples.
 */
#ifndef GPIORIG_PORT_HOST_H
#define GPIORIG_PORT_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPIORIG_PORT_WIDTH 2
#define GPIORIG_PIN_LINE(n) (9 + (n))
#define GPIORIG_STROBE 0
#define GPIORIG_D0 1
#define GPIORIG_D1 2
#define GPIORIG_D2 3
#define GPIORIG_D3 4
#define GPIORIG_D4 5
#define GPIORIG_D5 6
#define GPIORIG_D6 7
#define GPIORIG_D7 8
#define GPIORIG_PORT_RESERVED(X, ...)

struct gpiorig_host_store {
    uint64_t time;
    uint32_t pins;
};

struct gpiorig_host {
    struct gpiorig_host_store *stores; /* given by the host program */
    size_t capacity;
    size_t count; /* stores made; those beyond the capacity are counted, not kept */
    uint64_t time;
    uint32_t hold;  /* samples from symbol to symbol */
    uint32_t quiet; /* samples added after the last symbol's hold */
    uint32_t pins;  /* as they are */
    unsigned locks; /* how deep */
};

extern struct gpiorig_host gpiorig_host;

static inline void gpiorig_host_show(uint32_t pins)
{
    gpiorig_host.pins = pins;
    if (gpiorig_host.count < gpiorig_host.capacity) {
        gpiorig_host.stores[gpiorig_host.count] =
            (struct gpiorig_host_store){ .time = gpiorig_host.time, .pins = pins };
    }
    gpiorig_host.count++;
}

#define GPIORIG_SPREAD(symbol) ((unsigned)(symbol) << 1)
#define GPIORIG_BIT(pin) (1u << (unsigned)(pin))
GPIORIG_INLINE unsigned gpiorig_port_pins(unsigned symbol, unsigned strobe)
{
    return GPIORIG_SPREAD(symbol) | strobe;
}

typedef bool gpiorig_place; /* whether it shows */
#define GPIORIG_PORT_SEEN true
#define GPIORIG_PORT_UNSEEN false

GPIORIG_INLINE void gpiorig_port_store(gpiorig_place place, unsigned pins)
{
    if (place) {
        gpiorig_host_show((gpiorig_host.pins & ~0x1ffu) | pins);
    }
}

GPIORIG_INLINE void gpiorig_port_hold(void)
{
    gpiorig_host.time += gpiorig_host.hold;
}

GPIORIG_INLINE void gpiorig_port_quiet(void)
{
    gpiorig_host.time += gpiorig_host.quiet;
}

GPIORIG_INLINE void gpiorig_port_line(unsigned pin, unsigned level)
{
    gpiorig_host_show(level != 0 ? gpiorig_host.pins | 1u << pin : gpiorig_host.pins & ~(1u << pin));
    gpiorig_port_hold();
}

GPIORIG_INLINE void gpiorig_port_line_unseen(unsigned pin, unsigned level)
{
    (void)pin;
    (void)level;
    gpiorig_port_hold();
}

GPIORIG_INLINE void gpiorig_port_line_init(unsigned pin)
{
    gpiorig_port_line(pin, 0);
}

GPIORIG_INLINE unsigned gpiorig_port_lock(void)
{
    return gpiorig_host.locks++;
}

/** The mask must be put back as it was. */
GPIORIG_INLINE void gpiorig_port_unlock(unsigned state)
{
    gpiorig_host.locks = state;
}

GPIORIG_INLINE void gpiorig_port_init(void)
{
    gpiorig_port_store(GPIORIG_PORT_SEEN, 0);
}

#endif
