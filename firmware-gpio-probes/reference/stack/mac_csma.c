/*
 * Frames go out one after the other; CSMA-CA, acknowledgements and retries are the radio's. One that has a departure time is
 * loaded into the radio before, and sent off by the alarm's interrupt: then all that is left to do is to fire it.
 */
#include <stddef.h>

#include "alarm.h"
#include "mac.h"
#include "settings.h"
#include "timer.h"

#define SIGNAL_GUARD MAC_SIGNAL_PROTOCOL(0)

static struct packet *in_flight;
static struct packet_queue waiting;
static struct alarm guard = { .to = &mac_actor, .signals = SIGNAL_GUARD };

/** In the interrupt. */
static void depart(struct alarm *alarm)
{
    (void)alarm;
    radio_fire();
}

static struct alarm departure = { .expired = depart };

/** Sends the packet, or gets it ready to depart; `*since_us` is from when on the radio is busy with it. */
static bool give_to_radio(struct packet *packet, uint32_t *since_us)
{
    *since_us = timer_now();
    if (packet->departure != DEPARTURE_TIMED) {
        return radio_send(packet);
    }
    if (!radio_load(packet)) {
        return false;
    }
    if (timer_reached(timer_now(), packet->departure_us)) {
        radio_fire();
    } else {
        *since_us = packet->departure_us;
        alarm_set(&departure, packet->departure_us);
    }
    return true;
}

static void transmit(struct packet *packet)
{
    uint32_t since_us;

    in_flight = packet; /* the end may be confirmed before radio_send returns */
    if (!give_to_radio(packet, &since_us)) {
        in_flight = NULL;
        mac_settle(packet, RADIO_BUSY);
    } else if (in_flight == packet) {
        alarm_set(&guard, since_us + RADIO_GUARD_US);
    }
}

static void transmit_waiting(void)
{
    struct packet *packet;

    while (in_flight == NULL && (packet = packet_queue_take(&waiting)) != NULL) {
        transmit(packet);
    }
}

static void send(struct packet *packet)
{
    if (in_flight == NULL) {
        transmit(packet);
        transmit_waiting();
    } else if (!packet_queue_put(&waiting, packet, (uint16_t)settings.queue)) {
        packet_drop(packet);
    }
}

static void confirmed(uint16_t id, enum radio_result result)
{
    struct packet *packet = in_flight;

    if (packet == NULL || packet->id != id) {
        return;
    }
    alarm_cancel(&guard);
    in_flight = NULL;
    mac_settle(packet, result);
    transmit_waiting();
}

static void expire(uint16_t bits)
{
    if ((bits & SIGNAL_GUARD) != 0 && in_flight != NULL && radio_is_sending()) {
        radio_abort(); /* is confirmed as busy */
    }
}

static void start(void)
{
}

static void stop(void)
{
    struct packet *packet;

    alarm_cancel(&guard);
    alarm_cancel(&departure);
    while ((packet = packet_queue_take(&waiting)) != NULL) {
        mac_settle(packet, RADIO_BUSY);
    }
    radio_abort();
    if ((packet = in_flight) != NULL) {
        in_flight = NULL;
        mac_settle(packet, RADIO_BUSY);
    }
}

const struct mac mac_csma = {
    .name = "csma",
    .uses_csma = true,
    .asks_acknowledgements = true,
    .start = start,
    .stop = stop,
    .send = send,
    .confirmed = confirmed,
    .signal = expire,
};
