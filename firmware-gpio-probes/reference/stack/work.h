/** What is to be done: interrupts post it, the main loop sleeps until there is some. */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>

#define WORK_RADIO (1u << 0)   /* the radio's interrupt line rose, or ALARM_RADIO is due */
#define WORK_SEND (1u << 1)    /* ALARM_SEND is due */
#define WORK_TIMEOUT (1u << 2) /* ALARM_TIMEOUT is due */
#define WORK_LINE (1u << 3)    /* the host sent a line */
#define WORK_RESULT (1u << 4)  /* a packet's fate is known and to be logged */

/** From any context. */
void work_post(uint32_t bits);

/** Takes work back that has become void. */
void work_cancel(uint32_t bits);

/** Sleeps until there is work; returns it and forgets it. */
uint32_t work_wait(void);

#endif
