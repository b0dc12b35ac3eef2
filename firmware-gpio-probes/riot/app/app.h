/** The applications. */
#ifndef APP_H
#define APP_H

#include <stdint.h>

struct counts {
    uint32_t sent, received, lost, errors;
};

extern struct counts counts;

/** Fills a packet: its kind, then its number over and over, so that every cut of the payload ends in the number. */
void packet_fill(uint8_t *payload, uint16_t length, uint8_t kind, uint16_t sequence);

/** The number at the end of a packet. */
uint16_t packet_sequence(const uint8_t *payload, uint16_t length);

/** Requests and replies (pingpong, print): sends so many requests, from the calling thread; returns when all are through. */
void rounds_run(uint32_t packets);

/** A request has come: answers it. */
void rounds_answer(uint8_t *payload, uint16_t length, uint16_t from, uint32_t received_us);

/** Packets that nobody answers (broadcast, interferer, train). */
void oneway_run(uint32_t packets);

#endif
