#include "console.h"

#include <string.h>

#include "gpiorig/probe.h"

#include "app.h"
#include "board.h"
#include "ipv6.h"
#include "line.h"
#include "mac.h"
#include "packet.h"
#include "probes.h"
#include "radio.h"
#include "settings.h"
#include "sixlowpan.h"
#include "sync_task.h"
#include "uart.h"
#include "udp.h"
#include "wiring_proof.h"
#include "worker.h"

#ifndef TABLE_CRC
#error "TABLE_CRC: the CRC-32 of include/gpiorig/events.h; the Makefile computes it"
#endif

static bool radio_works;

/** The answer to a command. One at a time: the host waits for it. */
static struct line line;
static bool is_pending; /* until the MAC has taken the settings over */

void console_set_radio(bool works)
{
    radio_works = works;
}

static void answer(const char *text)
{
    line.length = 0;
    line_text(&line, text);
    line_send(&line);
}

static void identify(const char *arguments)
{
    (void)arguments;
    GPIORIG_EVENT_ID(RIG_IDENTIFY, settings.address);
    line.length = 0;
    line_text(&line, "ok identify board=" BOARD_NAME " firmware=reference probes=" GPIORIG_VARIANT_NAME " uid=");
    for (unsigned byte = 0; byte < 4u * BOARD_UID_WORDS; byte++) {
        line_hex(&line, board_uid(byte / 4u) >> 8u * (byte % 4u), 2);
    }
    line_pair(&line, "address", settings.address);
    line_text(&line, " table=");
    line_hex(&line, TABLE_CRC, 8);
    line_text(&line, " kernel=" KERNEL_NAME);
    line_send(&line);
}

/** The events that are chosen, or none: after the end of a run, so that their number stays what `report` shows. */
static void enable_events(bool chosen)
{
    gpiorig_enable_group(GPIORIG_GROUP_SCHED, chosen && settings.events_sched != 0);
    gpiorig_enable_group(GPIORIG_GROUP_TASK, chosen && settings.events_task != 0);
    gpiorig_enable_group(GPIORIG_GROUP_QUEUE, chosen && settings.events_queue != 0);
    gpiorig_enable_group(GPIORIG_GROUP_TIMER, chosen && settings.events_timer != 0);
    gpiorig_enable_group(GPIORIG_GROUP_SLOT, chosen && settings.events_slot != 0);
    probes_set_heartbeat(chosen ? settings.heartbeat_us : 0);
}

/** Has the MAC take changed settings over; the line is the answer, once it reports that it has. */
static void configure(void)
{
    kernel_set_queue_length((uint16_t)settings.queue);
    enable_events(true);
#if GPIORIG_LOG
    probes_send_log_when_idle(settings.log != 0);
#endif
    if (radio_works) {
        is_pending = true;
        actor_signal(&mac_actor, MAC_SIGNAL_CONFIGURE);
    } else {
        line_send(&line);
    }
}

static void set(const char *arguments)
{
    if (app_is_running()) {
        answer("error set: packets are being sent; wait for done, or stop");
        return;
    }
    line.length = 0;
    if (settings_set(arguments, &line)) {
        configure();
    } else {
        line_send(&line);
    }
}

static void set_defaults(const char *arguments)
{
    (void)arguments;
    if (app_is_running()) {
        answer("error defaults: packets are being sent; wait for done, or stop");
        return;
    }
    settings_reset();
    app_forget();
    line.length = 0;
    line_text(&line, "ok defaults");
    configure();
}

static void configured(void)
{
    if (!is_pending) {
        return;
    }
    is_pending = false;
    if (mac_is_configured()) {
        line_send(&line);
    } else {
        answer("error set: the radio did not take it");
    }
}

static void start(const char *argument)
{
    uint32_t packets = 0;

    if (*argument != '\0' && (!parse_number(argument, &packets) || packets == 0)) {
        answer("error start: give a number of packets, as in: start 100; or none, to go on until stop or duration_s");
    } else if (!radio_works) {
        answer("error start: the radio does not answer");
    } else if (app_is_running()) {
        answer("error start: packets are being sent; wait for done, or stop");
    } else {
        line.length = 0;
        line_text(&line, "ok start");
        line_pair(&line, "packets", packets);
        line_send(&line);
        enable_events(true);
        actor_signal(&mac_actor, MAC_SIGNAL_START);
        app_start(packets);
    }
}

static void stop(const char *arguments)
{
    (void)arguments;
    enable_events(false);
    answer("ok stop");
    app_stop();
}

/** The wiring proof and the calibration burst, as at boot. */
static void prove(const char *arguments)
{
    (void)arguments;
    if (app_is_running()) {
        answer("error prove: packets are being sent; wait for done, or stop");
        return;
    }
    wiring_proof_again();
    answer("ok prove");
}

static void report(const char *arguments)
{
    struct packet_counts packets = packet_counts();
    struct sixlowpan_counts sixlowpan = sixlowpan_counts();
    struct kernel_counts kernel = kernel_counts();

    (void)arguments;
    line.length = 0;
    line_text(&line, "ok report");
    line_pair(&line, "sent", app_counts.sent);
    line_pair(&line, "received", app_counts.received);
    line_pair(&line, "lost", app_counts.lost);
    line_pair(&line, "probes", gpiorig_frames());
    line_pair(&line, "uart_dropped", uart_dropped());
    line_pair(&line, "errors", radio_errors());
    line_pair(&line, "dropped", packets.dropped);
    line_pair(&line, "exhausted", packets.exhausted);
    line_pair(&line, "fragments", sixlowpan.fragments);
    line_pair(&line, "incomplete", sixlowpan.incomplete);
    line_pair(&line, "forwarded", sixlowpan.forwarded);
    line_pair(&line, "longest_queue", kernel.longest);
    line_pair(&line, "switches", kernel.switches);
    line_send(&line);
}

static void mac(const char *arguments)
{
    (void)arguments;
    line.length = 0;
    line_text(&line, "ok mac");
    mac_report(&line);
    line_send(&line);
}

static void workers(const char *arguments)
{
    (void)arguments;
    line.length = 0;
    line_text(&line, "ok workers");
    worker_report(&line);
    line_send(&line);
}

/** Bytes of each stack that were never used; 0 without threads. */
static void stacks(const char *arguments)
{
    static const struct {
        const char *name;
        const struct actor *actor;
    } actors[] = {
        { "mac", &mac_actor }, { "sixlowpan", &sixlowpan_actor }, { "ipv6", &ipv6_actor },
        { "udp", &udp_actor }, { "app", &app_actor },             { "console", &console_actor },
        { "worker_a", &worker_a_actor }, { "worker_b", &worker_b_actor }, { "sync", &sync_actor },
    };

    (void)arguments;
    line.length = 0;
    line_text(&line, "ok stacks");
    for (unsigned i = 0; i < sizeof actors / sizeof actors[0]; i++) {
        line_pair(&line, actors[i].name, actor_stack_left(actors[i].actor));
    }
    line_send(&line);
}

#if GPIORIG_LOG
/** What there is of the log, and then the answer. */
static void send_log(const char *arguments)
{
    (void)arguments;
    if (app_is_running()) {
        answer("error log: packets are being sent; wait for done, or stop");
        return;
    }
    probes_send_log();
    line.length = 0;
    line_text(&line, "ok log");
    line_pair(&line, "lost", gpiorig_log_lost());
    line_send(&line);
}
#endif

/** Each answers with exactly one line. */
static const struct command {
    const char *word;
    void (*run)(const char *arguments);
} commands[] = {
    { "identify", identify }, { "defaults", set_defaults }, { "set", set },       { "start", start },
    { "stop", stop },         { "report", report },         { "stacks", stacks }, { "mac", mac },
    { "workers", workers },   { "prove", prove },
#if GPIORIG_LOG
    { "log", send_log },
#endif
};
#define COMMANDS (sizeof commands / sizeof commands[0])

/** True when `text` begins with the word; `arguments` then points after it. */
static bool is_command(const char *text, const char *word, const char **arguments)
{
    size_t length = strlen(word);

    if (strncmp(text, word, length) != 0 || (text[length] != '\0' && text[length] != ' ')) {
        return false;
    }
    *arguments = text + length + (text[length] == ' ' ? 1 : 0);
    return true;
}

static void name_commands(void)
{
    line.length = 0;
    line_text(&line, "error commands are");
    for (unsigned i = 0; i < COMMANDS; i++) {
        line_text(&line, " ");
        line_text(&line, commands[i].word);
    }
    line_send(&line);
}

static void take_line(void)
{
    char text[UART_LINE_LENGTH];
    const char *arguments;

    if (!uart_read_line(text)) {
        return;
    }
    for (unsigned i = 0; i < COMMANDS; i++) {
        if (is_command(text, commands[i].word, &arguments)) {
            commands[i].run(arguments);
            return;
        }
    }
    name_commands();
}

static void handle(const struct message *message)
{
    if ((message->value & CONSOLE_SIGNAL_CONFIGURED) != 0) {
        configured();
    }
    if ((message->value & CONSOLE_SIGNAL_LINE) != 0) {
        take_line();
    }
}

ACTOR(console_actor, ACTOR_CONSOLE, handle, PRIORITIES, STACK_BYTES(512u));
