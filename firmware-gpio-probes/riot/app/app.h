/** A run of an application, app.c, and the applications: rounds.c, oneway.c. */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

struct counts {
    uint32_t sent, received, lost, errors;
};

extern struct counts counts;

/** Fills a packet: its kind, then its number repeatedly, up to the end of the packet. */
void packet_fill(uint8_t *payload, uint16_t length, uint8_t kind, uint16_t sequence);

/** The number at the end of a packet. */
uint16_t packet_sequence(const uint8_t *payload, uint16_t length);

extern volatile bool app_is_stopped;

/** The thread that calls app_await_start. */
void app_init(kernel_pid_t initiator);

/** Starts a run of the initiator with this number of packets. */
void app_start(uint32_t packets);

/** The initiator's: waits for app_start, and returns the number of packets. */
uint32_t app_await_start(void);

/** The initiator's: the run has ended. */
void app_end(void);

/** Nothing is sent from now on, until app_apply(): no reply, and after the run no event. */
void app_stop(void);

/** A setting has changed, or a run begins: replies are sent again, and the events of the enabled groups. */
void app_apply(void);
bool app_is_running(void);

/** False after app_stop() or when the time is over: a run ends before its next packet. */
bool app_continues(void);

/** Requests and replies (pingpong, print): returns after the last packet. */
void rounds_run(uint32_t packets);

/** Answers a request. */
void rounds_answer(uint8_t *payload, uint16_t length, uint16_t from, uint32_t received_us);

/** Packets without an answer (broadcast, interferer, train). */
void oneway_run(uint32_t packets);

/** Lines without packets (sleeper). */
void sleeper_run(uint32_t packets);

#endif
