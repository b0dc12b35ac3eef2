/**
 * Ping-pong, broadcast, interferer. The node that gets the command start sends, any other replies to what is not a broadcast.
 * The payload is the packet's number repeated, so that every fragment ends with it, and the packet's end is its id. A reply
 * begins with 0, which is not a number: one that comes late, or twice, is not answered.
 */
#include "link.h"
#include "pingpong-console.h"

#include "dev/serial-line.h"
#include "net/netstack.h"
#include "sys/etimer.h"

#if CONTIKI_TARGET_SKY && NETSTACK_CONF_WITH_IPV6
#include "dev/uart1.h" /* its platform listens to the UART only without IPv6 */
#endif

#include "gpiorig-contiki.h"

#include <stdio.h>
#include <string.h>

#define INTERFERENCE_BYTES 125 /* the longest frame, without its FCS: IEEE 802.15.4-2015 11.3 */

#define RESERVED_FRAME 0x04 /* a frame type that no receiver takes: IEEE 802.15.4-2006 7.2.1.1.1 */

PROCESS(pingpong_process, "gpiorig ping-pong");
AUTOSTART_PROCESSES(&pingpong_process);

static uint16_t to_send, sequence;                  /* of this run */
static uint16_t sent, received, lost;               /* since boot */
static bool waiting;                                /* for the reply to `sequence` */
static uint8_t payload[INTERFERENCE_BYTES];         /* to be sent */
static uint32_t sent_at;
static struct etimer timer;
static bool ending; /* the last packet is sent; the timer waits for its reply */

/** A packet that the process has not printed yet: printing takes longer than the packet. */
static struct {
    enum { NOTHING, ANSWERED, REPLIED, RECEIVED } what; /* our request; a request; a broadcast */
    uint16_t sequence;
    uint32_t tx, rx;
    linkaddr_t from;
} done;

/** Microseconds of a time of rtimer_wide_now(). */
static unsigned long us(uint32_t ticks)
{
    return (unsigned long)((uint64_t)ticks * 1000000u / RTIMER_SECOND);
}

static clock_time_t clock_ticks(uint32_t time_us)
{
    return (clock_time_t)(((uint64_t)time_us * CLOCK_SECOND + 999999u) / 1000000u); /* rounded up: sky 7.8 ms */
}

static void fill(uint16_t number, uint16_t length)
{
    for (uint16_t at = 0; at + 1 < length; at += 2) {
        payload[at] = (uint8_t)(number >> 8);
        payload[at + 1] = (uint8_t)number;
    }
}

static void reply(uint16_t number, uint16_t length, const linkaddr_t *to)
{
    fill(number, length);
    payload[0] = payload[1] = 0;
    done.tx = rtimer_wide_now();
    GPIORIG_ENTER_ID(APP_TX, number);
    link_send(payload, length, to);
    GPIORIG_EXIT_ID(APP_TX, number);
    sent++;
    done.what = REPLIED;
}

static void take(const uint8_t *data, uint16_t length, const linkaddr_t *from)
{
    uint32_t at = rtimer_wide_now();
    uint16_t number;
    bool replied;

    if (length < PAYLOAD_MIN || length > PAYLOAD_MAX) {
        return; /* an interferer's */
    }
    number = (uint16_t)(data[length - 2] << 8 | data[length - 1]);
    replied = (data[0] | data[1]) == 0;
    GPIORIG_ENTER_ID(APP_RX, number);
    received++;
    if (waiting && number == sequence) {
        waiting = false;
        done.what = ANSWERED;
        done.tx = sent_at;
    } else if (done.what == NOTHING && settings.app == APP_BROADCAST) {
        done.what = RECEIVED;
    } else if (done.what == NOTHING && settings.app == APP_PINGPONG && to_send == 0 && !replied) {
        reply(number, length, from);
    } else {
        GPIORIG_EXIT_ID(APP_RX, number); /* late, or before the last one is printed */
        return;
    }
    done.sequence = number;
    done.rx = at;
    done.from = *from;
    GPIORIG_EXIT_ID(APP_RX, number);
    process_poll(&pingpong_process);
}

static void send_next(void)
{
    linkaddr_t peer;

    if (waiting) {
        waiting = false;
        lost++;
        printf("packet seq=%u tx_us=%lu status=lost reason=timeout\n", sequence, us(sent_at));
    }
    sequence = sequence == UINT16_MAX ? 1 : sequence + 1; /* 0 is not an id */
    to_send--;
    sent++;
    if (settings.app == APP_INTERFERER) {
        fill(sequence, INTERFERENCE_BYTES - 1);
        payload[0] = RESERVED_FRAME;
        payload[1] = 0;
        NETSTACK_RADIO.send(payload, INTERFERENCE_BYTES - 1);
        return;
    }
    peer = node_of((uint16_t)settings.peer);
    fill(sequence, (uint16_t)settings.payload);
    waiting = settings.app == APP_PINGPONG;
    sent_at = rtimer_wide_now();
    GPIORIG_ENTER_ID(APP_TX, sequence);
    link_send(payload, (uint16_t)settings.payload, settings.app == APP_BROADCAST ? NULL : &peer);
    GPIORIG_EXIT_ID(APP_TX, sequence);
}

static void print_packet(void)
{
    printf("packet seq=%u ", done.sequence);
    switch (done.what) {
    case ANSWERED:
        printf("tx_us=%lu rx_us=%lu", us(done.tx), us(done.rx));
        break;
    case REPLIED:
        printf("rx_us=%lu tx_us=%lu", us(done.rx), us(done.tx));
        break;
    default:
        printf("from=");
        print_node(&done.from);
        printf(" rx_us=%lu", us(done.rx));
        break;
    }
    printf(" status=ok\n");
    done.what = NOTHING;
}

#ifdef GPIORIG_OFF
#define UNHOOKED 0u
#else
#define UNHOOKED gpiorig_unhooked
#endif

static void report(void)
{
    printf("ok report sent=%u received=%u lost=%u probes=%lu uart_dropped=0 errors=%u\n", sent, received, lost,
           (unsigned long)gpiorig_frames(), UNHOOKED);
}

/** The end of a run. */
static void finish(void)
{
    ending = false;
    lost += waiting;
    waiting = false;
    printf("done sent=%u received=%u lost=%u probes=%lu\n", sent, received, lost, (unsigned long)gpiorig_frames());
}

static void stop(void)
{
    if (to_send != 0 || ending) {
        to_send = 0;
        etimer_stop(&timer);
        finish();
    }
}

static const struct console_callbacks callbacks = {.stop = stop, .report = report};

static void print_boot(void)
{
    printf("boot board=" CONTIKI_TARGET_STRING " firmware=contiki-ng\n");
#ifndef GPIORIG_OFF
    for (uint16_t number = 1; gpiorig_process(number) != NULL; number++) {
        printf("process number=%u name=\"%s\"\n", number, PROCESS_NAME_STRING(gpiorig_process(number)));
    }
#endif
    printf("ready\n");
}

PROCESS_THREAD(pingpong_process, ev, data)
{
    PROCESS_BEGIN();
#if CONTIKI_TARGET_SKY && NETSTACK_CONF_WITH_IPV6
    uart1_set_input(serial_line_input_byte);
    serial_line_init();
#endif
    console_open(&callbacks);
    link_open(take);
    print_boot();
    for (;;) {
        PROCESS_WAIT_EVENT();
        if (ev == serial_line_event_message && console_command(data, &to_send)) {
            sequence = 0;
            ending = false;
            etimer_set(&timer, clock_ticks(settings.interval_us));
        } else if (ev == PROCESS_EVENT_POLL && done.what != NOTHING) {
            print_packet();
        } else if (ev == PROCESS_EVENT_TIMER && data == &timer && !ending) {
            send_next();
            ending = to_send == 0;
            etimer_set(&timer, clock_ticks(ending ? settings.timeout_us : settings.interval_us));
        } else if (ev == PROCESS_EVENT_TIMER && data == &timer) {
            finish();
        }
    }
    PROCESS_END();
}
