#include "flood.h"

#include <stddef.h>

#include "gpiorig/probe.h"

#include "alarm.h"
#include "mac.h"
#include "mesh.h"
#include "random.h"
#include "route.h"
#include "seed.h"
#include "settings.h"
#include "sixlowpan.h"
#include "timer.h"

#define BROADCAST 0x50u /* LOWPAN_BC0, RFC 4944 5.1 */
#define NOT_LOWPAN 0x00u /* 5.1: nothing of 6LoWPAN follows */

enum { BROADCAST_HEADER = MESH_LENGTH, SEQUENCE, NOTHING, ID, LENGTH = ID + 2 };

/* Packet ids of floods; those of the application are below, those of the MAC (slotted.h) above. */
#define FLOOD_ID(address, sequence) ((uint16_t)(0xE000u | ((address) & 0xFu) << 8 | (sequence)))
#define FLOOD_STREAM 0x666C6F6Fu /* other random numbers than those of the backoff */

static void due(struct alarm *alarm);

static struct alarm alarm = { .expired = due };
static uint8_t last_sequence;

/** In the timer's interrupt, so that the period does not depend on when the layer runs. */
static void due(struct alarm *expired)
{
    alarm_set(expired, expired->deadline_us + settings.flood_us);
    actor_signal(&sixlowpan_actor, SIXLOWPAN_SIGNAL_FLOOD);
}

void flood_start(void)
{
    uint32_t state = mix_seed(settings.seed ^ FLOOD_STREAM, (uint16_t)settings.address) | 1u; /* xorshift never leaves 0 */

    alarm_set(&alarm, timer_now() + random_draw(&state) % settings.flood_us);
}

void flood_stop(void)
{
    alarm_cancel(&alarm);
}

void flood_send(void)
{
    struct packet *packet = packet_alloc();
    uint8_t *bytes;

    if (packet == NULL) {
        return;
    }
    packet->id = FLOOD_ID(settings.address, ++last_sequence);
    GPIORIG_ENTER_ID(SIXLOWPAN_TX, packet->id);
    packet->source = packet->link_source = (uint16_t)settings.address;
    packet->destination = packet->link_destination = MAC_BROADCAST;
    packet->length = LENGTH;
    bytes = packet_data(packet);
    mesh_write(bytes, packet);
    bytes[BROADCAST_HEADER] = BROADCAST;
    bytes[SEQUENCE] = last_sequence;
    bytes[NOTHING] = NOT_LOWPAN;
    put_be16(bytes + ID, packet->id);
    packet_pass(&mac_actor, PACKET_DOWN, packet);
    GPIORIG_EXIT_ID(SIXLOWPAN_TX, FLOOD_ID(settings.address, last_sequence));
}

bool flood_receive(struct packet *packet, uint8_t hops)
{
    const uint8_t *bytes = packet_data(packet);

    return packet->length == LENGTH && bytes[BROADCAST_HEADER] == BROADCAST && settings.flood_us > 0 &&
           route_learn(packet->source, packet->link_source, hops, bytes[SEQUENCE]);
}
