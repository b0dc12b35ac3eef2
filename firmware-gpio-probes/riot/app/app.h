/** The applications. */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stdint.h>

struct counts {
    uint32_t sent, received, lost, errors;
};

extern struct counts counts;

/** Fills a packet: its kind, then its number over and over, so that every cut of the payload ends in the number. */
void packet_fill(uint8_t *payload, uint16_t length, uint8_t kind, uint16_t sequence);

/** The number at the end of a packet. */
uint16_t packet_sequence(const uint8_t *payload, uint16_t length);

/** Lets the initiator send so many packets. */
void app_start(uint32_t packets);

/** Nothing is sent from now on, until app_apply(): no reply, and once the run is over no event. */
void app_stop(void);

/** A setting has changed, or a run begins: replies are sent again, and the events of the groups that are on. */
void app_apply(void);
bool app_is_running(void);

/** False once app_stop() was called or the time is up: a run ends before its next packet. */
bool app_goes_on(void);

/** Requests and replies (pingpong, print): returns when all packets are through. */
void rounds_run(uint32_t packets);

/** A request has come: answers it. */
void rounds_answer(uint8_t *payload, uint16_t length, uint16_t from, uint32_t received_us);

/** Packets that nobody answers (broadcast, interferer, train). */
void oneway_run(uint32_t packets);

#endif
