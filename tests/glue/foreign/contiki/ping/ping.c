/** The least application: PACKETS packets over simple-udp, one after the reply to the other; then it ends. No C library. */
#include "contiki.h"
#include "net/ipv6/simple-udp.h"

#include "gpiorig-contiki.h"

#define PACKETS 5
#define FIRST_ID 0x1201u
#define PORT 5678

PROCESS(ping_process, "ping");
AUTOSTART_PROCESSES(&ping_process);

#ifndef SILENT /* an application that never calls simple-udp */
static struct simple_udp_connection connection;
static uint16_t replies;

static void received(struct simple_udp_connection *c, const uip_ipaddr_t *from, uint16_t from_port, const uip_ipaddr_t *to,
                     uint16_t to_port, const uint8_t *data, uint16_t length)
{
    uint16_t id = (uint16_t)(data[length - 2] << 8 | data[length - 1]);

    (void)c;
    (void)from;
    (void)from_port;
    (void)to;
    (void)to_port;
    GPIORIG_ENTER_ID(APP_RX, id);
    replies++;
    process_post(&ping_process, PROCESS_EVENT_CONTINUE, NULL);
    GPIORIG_EXIT_ID(APP_RX, id);
}

static void send(uint16_t id)
{
    static uint8_t payload[16];
    uip_ipaddr_t to;

    for (unsigned at = 0; at < sizeof payload; at += 2) {
        payload[at] = (uint8_t)(id >> 8);
        payload[at + 1] = (uint8_t)id;
    }
    uip_create_linklocal_allnodes_mcast(&to);
    GPIORIG_ENTER_ID(APP_TX, id);
    simple_udp_sendto(&connection, payload, sizeof payload, &to);
    GPIORIG_EXIT_ID(APP_TX, id);
}

#endif

PROCESS_THREAD(ping_process, ev, data)
{
    PROCESS_BEGIN();
#ifndef SILENT
    simple_udp_register(&connection, PORT, NULL, PORT, received);
    while (replies < PACKETS) {
        send((uint16_t)(FIRST_ID + replies));
        PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_CONTINUE);
    }
#else
    PROCESS_WAIT_EVENT_UNTIL(ev == PROCESS_EVENT_CONTINUE);
#endif
    GPIORIG_EVENT_ID(RIG_MARKER, gpiorig_frames() + 1);
    PROCESS_END();
}
