/**
 * A request every 50 ms; what comes back is received by another thread. Both as applications of RIOT do it: a socket,
 * and ztimer. board_init is called from another file than its own, as RIOT's reset code does.
 */
#include "gpiorig/probe.h"

#include "at86rf2xx.h"
#include "at86rf2xx_netdev.h"
#include "at86rf2xx_registers.h"
#include "net/sock/udp.h"
#include "standin.h"
#include "ztimer.h"

#define REQUESTS 3u
#define PAYLOAD 32u

extern const gnrc_netif_ops_t ieee802154_ops;
extern at86rf2xx_t radio;
extern uint8_t radio_registers[64];
int main(void);
void board_init(void);

static char netif_stack[1024], main_stack[1024] __attribute__((aligned(8)));
static sock_udp_t sock;

#ifndef NO_RECEIVER
static char receiver_stack[1024] __attribute__((aligned(8)));

static uint16_t id_of(const uint8_t *payload, ssize_t length)
{
    return length < 2 ? 0 : (uint16_t)(payload[length - 2] << 8 | payload[length - 1]);
}

/* In turn by both calls: into memory of one's own, and where the packet is. */
static void *receiver(void *arg)
{
    uint8_t payload[64];

    (void)arg;
    for (;;) {
        ssize_t length = sock_udp_recv(&sock, payload, sizeof payload, SOCK_NO_TIMEOUT, NULL);
        void *part, *context = NULL;

        GPIORIG_ENTER_ID(APP_RX, id_of(payload, length));
        GPIORIG_EXIT_ID(APP_RX, id_of(payload, length));
        length = sock_udp_recv_buf(&sock, &part, &context, SOCK_NO_TIMEOUT, NULL);
        GPIORIG_ENTER_ID(APP_RX, id_of(part, length));
        GPIORIG_EXIT_ID(APP_RX, id_of(part, length));
        sock_udp_recv_buf(&sock, &part, &context, 0, NULL);
    }
    return NULL;
}
#endif

static void *application(void *arg)
{
    const sock_udp_ep_t peer = { .port = PORT };
    uint8_t payload[PAYLOAD];

    (void)arg;
    sock_udp_create(&sock, &peer, NULL, 0);
    at86rf2xx_setup(&radio, NULL, 0);
    gnrc_netif_create(&netif, netif_stack, sizeof netif_stack, 2, "at86rf2xx", &radio.netdev.netdev, &ieee802154_ops);
    stack_start();
#ifndef NO_RECEIVER
    thread_create(receiver_stack, sizeof receiver_stack, 6, 0, receiver, NULL, "receiver");
#endif
    for (uint16_t id = 0x0102; id < 0x0102 + REQUESTS; id++) {
        ztimer_sleep(ZTIMER_USEC, 50000);
        for (unsigned at = 0; at < PAYLOAD; at += 2) { /* the id over and over: every cut of it ends in the id */
            payload[at] = (uint8_t)(id >> 8);
            payload[at + 1] = (uint8_t)id;
        }
        GPIORIG_ENTER_ID(APP_TX, id);
        sock_udp_send(&sock, payload, sizeof payload, &peer);
        GPIORIG_EXIT_ID(APP_TX, id);
    }
    ztimer_sleep(ZTIMER_USEC, 50000);
    GPIORIG_EVENT_ID(RIG_MARKER, gpiorig_frames());
    GPIORIG_EVENT_ID(RIG_MARKER, radio_registers[AT86RF2XX_REG__TRX_CTRL_1]);
    for (;;) {
        ztimer_sleep(ZTIMER_USEC, 1000000);
    }
    return NULL;
}

int main(void)
{
    board_init();
    thread_create(main_stack, sizeof main_stack, 7, 0, application, NULL, "main");
    kernel_start();
}
