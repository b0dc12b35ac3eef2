#include "packet.h"

#include <stddef.h>
#include <string.h>

#include "board.h"
#include "board_limits.h"
#include "timer.h"

/* A packet with more room takes consecutive buffers at the end of the pool, and keeps them when it is returned. */
#define LONG_PACKETS 8u
#define LONG_BUFFERS \
    ((offsetof(struct packet, buffer) + PACKET_HEADROOM + PAYLOAD_MAX + 1u + sizeof pool[0] - 1u) / sizeof pool[0])

static struct packet pool[PACKETS];
static uint16_t used;            /* from the start of the pool, ever: the rest was never taken */
static uint16_t top = PACKETS;   /* from here on long ones */
static struct packet *returned, *returned_long;
static struct packet_counts counts = { .least_free = PACKETS };
static uint16_t free_packets = PACKETS;

static inline struct packet *emptied(struct packet *packet)
{
    if (packet != NULL) {
        packet->owner = NULL;
        packet->start = PACKET_HEADROOM;
        packet->length = 0;
        packet->unacknowledged = false;
        packet->departure = DEPARTURE_ANY;
    }
    return packet;
}

struct packet *packet_alloc(void)
{
    irq_state state = irq_lock();
    struct packet *packet = returned;

    if (packet != NULL) {
        returned = packet->next;
    } else if (used < top) {
        packet = &pool[used++];
    } else {
        counts.exhausted++;
    }
    if (packet != NULL && --free_packets < counts.least_free) {
        counts.least_free = free_packets;
    }
    irq_unlock(state);
    return emptied(packet);
}

struct packet *packet_alloc_for(uint16_t room)
{
    struct packet *packet;
    irq_state state;

    if (PAYLOAD_MAX <= PAYLOAD_SHORT || room <= PACKET_ROOM) {
        return packet_alloc();
    }
    state = irq_lock();
    packet = returned_long;
    if (packet != NULL) {
        returned_long = packet->next;
    } else if (top >= used + LONG_BUFFERS && PACKETS - top < LONG_PACKETS * LONG_BUFFERS) {
        top = (uint16_t)(top - LONG_BUFFERS);
        free_packets = (uint16_t)(free_packets - LONG_BUFFERS);
        packet = &pool[top];
    } else {
        counts.exhausted++;
    }
    irq_unlock(state);
    return emptied(packet);
}

void packet_free(struct packet *packet)
{
    irq_state state = irq_lock();

    if (packet < &pool[top]) {
        packet->next = returned;
        returned = packet;
        free_packets++;
    } else {
        packet->next = returned_long;
        returned_long = packet;
    }
    irq_unlock(state);
}

void packet_settle(struct packet *packet, enum fate fate)
{
    struct packet_owner *owner = packet->owner;

    if (owner == NULL) {
        packet_free(packet);
        return;
    }
    packet->fate = (uint8_t)fate;
    packet_queue_put(&owner->settled, packet, PACKETS);
    actor_signal(owner->actor, PACKET_SETTLED);
}

void packet_drop(struct packet *packet)
{
    irq_state state = irq_lock();

    counts.dropped++;
    irq_unlock(state);
    packet_settle(packet, FATE_QUEUE);
}

bool packet_pass(struct actor *to, enum packet_message way, struct packet *packet)
{
    struct message message = { .type = (uint16_t)way, .value = packet->id, .content = packet };

    if (actor_pass(to, message)) {
        return true;
    }
    packet_drop(packet); /* what was received has no owner */
    return false;
}

void packet_turn_round(struct packet *packet, struct actor *to)
{
    struct packet *copy = packet_alloc_for((uint16_t)(packet->start + packet->length));
    struct message message = { .type = PACKET_UP, .value = packet->id, .content = copy };

    if (copy == NULL) {
        packet_settle(packet, FATE_QUEUE);
        return;
    }
    copy->start = packet->start;
    copy->length = packet->length;
    copy->id = packet->id;
    copy->source = packet->source;
    copy->destination = packet->destination;
    copy->link_source = packet->link_source;
    copy->link_destination = packet->link_destination;
    copy->received_us = timer_now();
    memcpy(packet_data(copy), packet_data(packet), packet->length);
    if (actor_post(to, message)) {
        packet_settle(packet, FATE_OK);
    } else {
        packet_free(copy);
        packet_drop(packet);
    }
}

bool packet_queue_put(struct packet_queue *queue, struct packet *packet, uint16_t most)
{
    irq_state state = irq_lock();
    bool fits = queue->length < most;

    if (fits) {
        packet->next = NULL;
        if (queue->first == NULL) {
            queue->first = packet;
        } else {
            queue->last->next = packet;
        }
        queue->last = packet;
        queue->length++;
    }
    irq_unlock(state);
    return fits;
}

struct packet *packet_queue_take(struct packet_queue *queue)
{
    irq_state state = irq_lock();
    struct packet *packet = queue->first;

    if (packet != NULL) {
        queue->first = packet->next;
        queue->length--;
    }
    irq_unlock(state);
    return packet;
}

struct packet_counts packet_counts(void)
{
    return counts;
}

const char *fate_name(uint8_t fate)
{
    static const char *const names[] = { "ok", "no_ack", "busy", "queue", "timeout", "too_long", "no_route" };

    return names[fate];
}
