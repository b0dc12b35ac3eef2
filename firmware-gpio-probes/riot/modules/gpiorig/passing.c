/** What goes from thread to thread: a packet handed on, a message queued, fetched by polling, or dropped. */
#include "gpiorig_riot.h"

#ifdef MODULE_GNRC_NETAPI

#include "net/gnrc/netapi.h"
#include "thread.h"

int __real_gnrc_netapi_dispatch(gnrc_nettype_t type, uint32_t context, uint16_t command, gnrc_pktsnip_t *packet);
int __wrap_gnrc_netapi_dispatch(gnrc_nettype_t type, uint32_t context, uint16_t command, gnrc_pktsnip_t *packet);
int __real__gnrc_netapi_send_recv(kernel_pid_t pid, gnrc_pktsnip_t *packet, uint16_t type);
int __wrap__gnrc_netapi_send_recv(kernel_pid_t pid, gnrc_pktsnip_t *packet, uint16_t type);
int __real_msg_try_send(msg_t *message, kernel_pid_t target);
int __wrap_msg_try_send(msg_t *message, kernel_pid_t target);
int __real_msg_try_receive(msg_t *message);
int __wrap_msg_try_receive(msg_t *message);

int __wrap_gnrc_netapi_dispatch(gnrc_nettype_t type, uint32_t context, uint16_t command, gnrc_pktsnip_t *packet)
{
    GPIORIG_EVENT_ID(QUEUE_PASS, gpiorig_message_id(command, packet));
    return __real_gnrc_netapi_dispatch(type, context, command, packet);
}

/** To a network interface, past the registry of layers. */
int __wrap__gnrc_netapi_send_recv(kernel_pid_t pid, gnrc_pktsnip_t *packet, uint16_t type)
{
    GPIORIG_EVENT_ID(QUEUE_PASS, gpiorig_message_id(type, packet));
    return __real__gnrc_netapi_send_recv(pid, packet, type);
}

/* Posted before the call: a receiver of higher priority runs within it. */
int __wrap_msg_try_send(msg_t *message, kernel_pid_t target)
{
    int result;

    GPIORIG_EVENT_ID(QUEUE_POST, (uint16_t)target);
    result = __real_msg_try_send(message, target);
    if (result < 1) {
        GPIORIG_EVENT_ID(QUEUE_DROP, (uint16_t)target);
    }
    return result;
}

/* A network interface polls, once or twice more than there are messages: an empty queue is not an event. */
int __wrap_msg_try_receive(msg_t *message)
{
    int result = __real_msg_try_receive(message);

    if (result == 1) {
        GPIORIG_EVENT_ID(QUEUE_FETCH, (uint16_t)thread_getpid());
    }
    return result;
}

#endif
