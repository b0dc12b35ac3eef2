/**
 * gpiorig port: the PC. Stores go, with their time, into a buffer the host program gives; the very same probe.c runs.
 * A pins word has the strobe in bit 0, data line i in bit i + 1 and span line i in bit i + 9. Time is in samples.
 */
#ifndef GPIORIG_PORT_HOST_H
#define GPIORIG_PORT_HOST_H

#include <stddef.h>
#include <stdint.h>

#define GPIORIG_PORT_WIDTH 2
#define GPIORIG_PIN_LINE(n) (n)

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

static inline void gpiorig_port_store(uint32_t symbol, uint32_t strobe)
{
    gpiorig_host_show((gpiorig_host.pins & ~0x1ffu) | symbol << 1 | strobe);
}

static inline void gpiorig_port_hold(void)
{
    gpiorig_host.time += gpiorig_host.hold;
}

static inline void gpiorig_port_line(unsigned pin, uint32_t level)
{
    uint32_t bit = 0x200u << pin;

    gpiorig_host_show(level != 0 ? gpiorig_host.pins | bit : gpiorig_host.pins & ~bit);
    gpiorig_port_hold();
}

static inline void gpiorig_port_line_init(unsigned pin)
{
    gpiorig_port_line(pin, 0);
}

static inline void gpiorig_port_quiet(void)
{
    gpiorig_host.time += gpiorig_host.quiet;
}

static inline uint32_t gpiorig_port_lock(void)
{
    return 0;
}

static inline void gpiorig_port_unlock(uint32_t state)
{
    (void)state;
}

static inline void gpiorig_port_init(void)
{
    gpiorig_port_store(0, 0);
}

#endif
