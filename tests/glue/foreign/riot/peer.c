/**
 * A link whose other end is a peer that answers every request, except when its address is 9. The line `request N` is a
 * request that comes in.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "link.h"
#include "settings.h"

#define DEAF 9u

void posix_request(uint16_t sequence);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static struct {
    bool listening; /* its thread waits for what comes */
    uint16_t length;
    uint8_t bytes[PAYLOAD_MOST];
} boxes[2];

static void put(enum link_end end, const uint8_t *payload, uint16_t length)
{
    pthread_mutex_lock(&mutex);
    memcpy(boxes[end].bytes, payload, length);
    boxes[end].length = length;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

bool link_init(void)
{
    return true;
}

bool link_configure(void)
{
    return true;
}

void link_open(enum link_end end)
{
    boxes[end].length = 0;
}

void link_close(enum link_end end)
{
    (void)end;
}

bool link_send(uint16_t to, const uint8_t *payload, uint16_t length)
{
    uint8_t reply[PAYLOAD_MOST];

    if (payload[0] == KIND_REQUEST && to != DEAF) {
        memcpy(reply, payload, length);
        reply[0] = KIND_REPLY;
        put(LINK_REPLIES, reply, length);
    }
    return true;
}

uint16_t link_receive(enum link_end end, uint8_t *payload, uint16_t size, uint32_t timeout_us, uint16_t *from)
{
    struct timespec until;
    uint16_t length;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += timeout_us / 1000000;
    until.tv_nsec += (long)(timeout_us % 1000000) * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    boxes[end].listening = true;
    pthread_cond_broadcast(&changed);
    while (boxes[end].length == 0) {
        if (pthread_cond_timedwait(&changed, &mutex, &until) != 0) {
            break;
        }
    }
    boxes[end].listening = false;
    length = boxes[end].length < size ? boxes[end].length : size;
    memcpy(payload, boxes[end].bytes, length);
    boxes[end].length = 0;
    pthread_mutex_unlock(&mutex);
    *from = 2;
    return length;
}

/** In RIOT the responder is more urgent than the shell: it listens by now, and is through before the shell goes on. */
static void await_responder(void)
{
    pthread_mutex_lock(&mutex);
    while (!boxes[LINK_REQUESTS].listening || boxes[LINK_REQUESTS].length != 0) {
        pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

void posix_request(uint16_t sequence)
{
    uint8_t payload[16];

    packet_fill(payload, sizeof payload, KIND_REQUEST, sequence);
    await_responder();
    put(LINK_REQUESTS, payload, sizeof payload);
    await_responder();
}
