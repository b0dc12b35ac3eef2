#include "console.h"

#include <string.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "radio.h"
#include "line.h"
#include "settings.h"
#include "board.h"
#include "uart.h"

#ifndef TABLE_CRC
#error "TABLE_CRC: the CRC-32 of include/gpiorig/events.h; the Makefile computes it"
#endif

static bool radio_works;

void console_set_radio(bool works)
{
    radio_works = works;
}

static void answer(const char *text)
{
    struct line line = { .length = 0 };

    line_text(&line, text);
    line_send(&line);
}

static uint32_t digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : UINT8_MAX;
}

/** A decimal number, or 0x and a hexadecimal one, that fills the text and fits 32 bits. */
static bool parse_number(const char *text, uint32_t *number)
{
    uint32_t base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
    uint32_t value = 0;

    text += base == 16 ? 2 : 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        uint32_t digit = digit_value(*text);

        if (digit >= base || value > (UINT32_MAX - digit) / base) {
            return false;
        }
        value = value * base + digit;
    }
    *number = value;
    return true;
}

static void identify(void)
{
    struct line line = { .length = 0 };

    GPIORIG_EVENT_ID(RIG_IDENTIFY, settings.address);
    line_text(&line, "ok identify board=" BOARD_NAME " firmware=reference uid=");
    for (unsigned byte = 0; byte < 4u * BOARD_UID_WORDS; byte++) {
        line_hex(&line, board_uid(byte / 4u) >> 8u * (byte % 4u), 2);
    }
    line_pair(&line, "address", settings.address);
    line_text(&line, " table=");
    line_hex(&line, TABLE_CRC, 8);
    line_send(&line);
}

static void set(const char *arguments)
{
    const char *space = strchr(arguments, ' ');
    struct line line = { .length = 0 };
    uint32_t value;

    if (space == NULL || !parse_number(space + 1, &value)) {
        answer("error set: give a key and a number, as in: set channel 26");
        return;
    }
    if (app_is_running()) {
        answer("error set: packets are being sent; wait for done");
        return;
    }
    switch (settings_set(arguments, (uint32_t)(space - arguments), value)) {
    case SETTING_UNKNOWN:
        answer("error set: keys are address peer channel interval_us payload backoff seed timeout_us");
        return;
    case SETTING_OUT_OF_RANGE:
        answer("error set: out of range");
        return;
    case SETTING_DONE:
        break;
    }
    if (radio_works && !app_configure()) {
        answer("error set: the radio did not take it");
        return;
    }
    line_text(&line, "ok set ");
    line_text(&line, arguments);
    line.text[strlen("ok set ") + (uint32_t)(space - arguments)] = '=';
    line_send(&line);
}

static void start(const char *argument)
{
    struct line line = { .length = 0 };
    uint32_t packets;

    if (!parse_number(argument, &packets) || packets == 0) {
        answer("error start: give a number of packets, as in: start 100");
    } else if (!radio_works) {
        answer("error start: the radio does not answer");
    } else if (app_is_running()) {
        answer("error start: packets are being sent; wait for done");
    } else {
        line_text(&line, "ok start");
        line_pair(&line, "packets", packets);
        line_send(&line);
        app_start(packets);
    }
}

static void report(void)
{
    struct line line = { .length = 0 };
    struct app_counts counts = app_counts();

    line_text(&line, "ok report");
    line_pair(&line, "sent", counts.sent);
    line_pair(&line, "received", counts.received);
    line_pair(&line, "lost", counts.lost);
    line_pair(&line, "probes", gpiorig_frames());
    line_pair(&line, "uart_dropped", uart_dropped());
    line_pair(&line, "errors", radio_errors());
    line_send(&line);
}

/** True when `line` begins with the word; `arguments` then points behind it. */
static bool is_command(const char *line, const char *word, const char **arguments)
{
    size_t length = strlen(word);

    if (strncmp(line, word, length) != 0 || (line[length] != '\0' && line[length] != ' ')) {
        return false;
    }
    *arguments = line + length + (line[length] == ' ' ? 1 : 0);
    return true;
}

static void console(const struct message *message)
{
    char line[UART_LINE_LENGTH];
    const char *arguments;

    (void)message;
    if (!uart_read_line(line)) {
        return;
    }
    if (is_command(line, "identify", &arguments)) {
        identify();
    } else if (is_command(line, "set", &arguments)) {
        set(arguments);
    } else if (is_command(line, "start", &arguments)) {
        start(arguments);
    } else if (is_command(line, "report", &arguments)) {
        report();
    } else {
        answer("error commands are identify, set, start, report");
    }
}

ACTOR(console_actor, ACTOR_CONSOLE, console, 8, 512);
