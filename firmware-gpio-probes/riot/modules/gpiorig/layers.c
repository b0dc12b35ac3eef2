/**
 * Entry and exit of UDP, IPv6 and 6LoWPAN. Each is a thread that waits in msg_receive for a packet: the layer is
 * entered when the wait ends, and left when the thread waits again.
 */
#include "gpiorig_riot.h"

#ifdef MODULE_GNRC_NETAPI

#include <string.h>

#include "net/gnrc/netapi.h"
#include "thread.h"

enum layer { NO_LAYER, UDP, IPV6, SIXLOWPAN, NETIF };
enum direction { IDLE, SENDING, RECEIVING };

/** Of each thread. */
static struct {
    uint8_t layer;
    uint8_t direction; /* of the packet in hand */
    uint16_t id;
} threads[KERNEL_PID_LAST + 1];

static bool netif_thread_follows;

kernel_pid_t __real_thread_create(char *stack, int stacksize, uint8_t priority, int flags, thread_task_func_t function,
                                  void *argument, const char *name);
kernel_pid_t __wrap_thread_create(char *stack, int stacksize, uint8_t priority, int flags, thread_task_func_t function,
                                  void *argument, const char *name);
int __real_msg_receive(msg_t *message);
int __wrap_msg_receive(msg_t *message);

static enum layer layer_called(const char *name)
{
    static const struct {
        const char *name;
        enum layer layer;
    } layers[] = { { "udp", UDP }, { "ipv6", IPV6 }, { "6lo", SIXLOWPAN } };

    for (unsigned at = 0; name != NULL && at < sizeof layers / sizeof layers[0]; at++) {
        if (strcmp(name, layers[at].name) == 0) {
            return layers[at].layer;
        }
    }
    return NO_LAYER;
}

kernel_pid_t __wrap_thread_create(char *stack, int stacksize, uint8_t priority, int flags, thread_task_func_t function,
                                  void *argument, const char *name)
{
    enum layer layer = netif_thread_follows ? NETIF : layer_called(name);
    kernel_pid_t pid = __real_thread_create(stack, stacksize, priority, flags, function, argument, name);

    if (pid > KERNEL_PID_UNDEF && pid <= KERNEL_PID_LAST) {
        threads[pid].layer = (uint8_t)layer;
        threads[pid].direction = IDLE;
    }
    return pid;
}

void gpiorig_netif_thread_follows(bool follows)
{
    netif_thread_follows = follows;
}

bool gpiorig_in_netif_thread(void)
{
    return threads[thread_getpid()].layer == NETIF;
}

/* One case a layer and direction: the event's code is a constant, and its check is worked out by the compiler. */
#define CASE(layer, way) ((layer) << 2 | (way))

static void enter(enum layer layer, enum direction way, uint16_t id)
{
    switch (CASE(layer, way)) {
    case CASE(UDP, SENDING):
        GPIORIG_ENTER_ID(UDP_TX, id);
        break;
    case CASE(UDP, RECEIVING):
        GPIORIG_ENTER_ID(UDP_RX, id);
        break;
    case CASE(IPV6, SENDING):
        GPIORIG_ENTER_ID(IPV6_TX, id);
        break;
    case CASE(IPV6, RECEIVING):
        GPIORIG_ENTER_ID(IPV6_RX, id);
        break;
    case CASE(SIXLOWPAN, SENDING):
        GPIORIG_ENTER_ID(SIXLOWPAN_TX, id);
        break;
    case CASE(SIXLOWPAN, RECEIVING):
        GPIORIG_ENTER_ID(SIXLOWPAN_RX, id);
        break;
    }
}

static void leave(enum layer layer, enum direction way, uint16_t id)
{
    switch (CASE(layer, way)) {
    case CASE(UDP, SENDING):
        GPIORIG_EXIT_ID(UDP_TX, id);
        break;
    case CASE(UDP, RECEIVING):
        GPIORIG_EXIT_ID(UDP_RX, id);
        break;
    case CASE(IPV6, SENDING):
        GPIORIG_EXIT_ID(IPV6_TX, id);
        break;
    case CASE(IPV6, RECEIVING):
        GPIORIG_EXIT_ID(IPV6_RX, id);
        break;
    case CASE(SIXLOWPAN, SENDING):
        GPIORIG_EXIT_ID(SIXLOWPAN_TX, id);
        break;
    case CASE(SIXLOWPAN, RECEIVING):
        GPIORIG_EXIT_ID(SIXLOWPAN_RX, id);
        break;
    }
}

int __wrap_msg_receive(msg_t *message)
{
    kernel_pid_t me = thread_getpid();
    int result;

    if (threads[me].direction != IDLE) {
        leave(threads[me].layer, threads[me].direction, threads[me].id);
        threads[me].direction = IDLE;
    }
    result = __real_msg_receive(message);
    GPIORIG_EVENT_ID(QUEUE_FETCH, (uint16_t)me);
    if (threads[me].layer != NO_LAYER && gpiorig_carries_packet(message)) {
        threads[me].direction = message->type == GNRC_NETAPI_MSG_TYPE_SND ? SENDING : RECEIVING;
        threads[me].id = gpiorig_message_id(message->type, message->content.ptr);
        enter(threads[me].layer, threads[me].direction, threads[me].id);
    }
    return result;
}

#endif
