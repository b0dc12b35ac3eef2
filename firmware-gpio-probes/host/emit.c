/**
 * Runs probe.c on the PC and writes what an analyzer would sample: two bytes a sample, little endian, bit 0 the strobe,
 * bit i + 1 data line i.
 *
 * Usage: emit-wN [--hold SAMPLES] [--gap SAMPLES] < lines > samples
 * A line is "CODE [ID]", numbers as C writes them, or "wiring", or "calibrate N"; # begins a comment line.
 * --hold: samples from symbol to symbol (default 4); --gap: samples from the last symbol of a frame to the first of the
 * next (default 16). At 24 MHz: 167 ns and 667 ns. The stream begins and ends with one gap of quiet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpiorig/probe.h"
#include "host/port.h"

#define STORES 4096

struct gpiorig_host gpiorig_host;
static struct gpiorig_host_store stores[STORES];
static uint64_t written; /* samples */
static uint32_t pins;    /* since then */

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "emit: %s: %s\n", what, detail);
    exit(2);
}

static void write_until(uint64_t time)
{
    for (; written < time; written++) {
        putchar((int)(pins & 0xffu));
        putchar((int)(pins >> 8));
    }
}

/** Writes what the stores so far made of the lines, and empties the buffer. */
static void flush_stores(void)
{
    if (gpiorig_host.count > STORES) {
        fail("too much for one line of input", "split it");
    }
    for (size_t i = 0; i < gpiorig_host.count; i++) {
        write_until(stores[i].time);
        pins = stores[i].pins;
    }
    gpiorig_host.count = 0;
}

static uint32_t number(const char *text, uint32_t least, uint32_t most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 0);

    if (end == text || *end != '\0' || value < least || value > most) {
        fail("not a number, or out of range", text);
    }
    return (uint32_t)value;
}

static void emit_line(char *line)
{
    const char *first = strtok(line, " \t\n");
    const char *second = strtok(NULL, " \t\n");

    if (first == NULL || *first == '#') {
        return;
    }
    if (strcmp(first, "wiring") == 0) {
        gpiorig_wiring_proof();
    } else if (strcmp(first, "calibrate") == 0 && second != NULL) {
        gpiorig_calibrate(number(second, 1, 100));
    } else if (second != NULL) {
        gpiorig_event_id(number(first, 1, 127), number(second, 0, 0xffff));
    } else {
        gpiorig_event(number(first, 1, 127));
    }
    flush_stores();
}

int main(int argc, char **argv)
{
    char line[256];
    uint32_t gap = 16;

    gpiorig_host = (struct gpiorig_host){ .stores = stores, .capacity = STORES, .hold = 4 };
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--hold") == 0) {
            gpiorig_host.hold = number(argv[i + 1], 1, 1000);
        } else if (i + 1 < argc && strcmp(argv[i], "--gap") == 0) {
            gap = number(argv[i + 1], 1, 1000000);
        } else {
            fail("usage: emit-wN [--hold SAMPLES] [--gap SAMPLES]", argv[i]);
        }
    }
    gpiorig_host.quiet = gap;
    gpiorig_init();
    gpiorig_host.time = gap;
    while (fgets(line, sizeof line, stdin) != NULL) {
        emit_line(line);
    }
    write_until(gpiorig_host.time);
    return ferror(stdout) != 0 || fflush(stdout) != 0;
}
