/* RIOT core/include/msg.h, compared with commit 03b2e2ad: msg_t, the three functions. */
#ifndef RIOT_MSG_H
#define RIOT_MSG_H

#include <stdbool.h>
#include <stdint.h>

#include "sched.h"

typedef struct {
    kernel_pid_t sender_pid;
    uint16_t type;
    union {
        void *ptr;
        uint32_t value;
    } content;
} msg_t;

int msg_try_send(msg_t *m, kernel_pid_t target_pid);
int msg_receive(msg_t *m);
int msg_try_receive(msg_t *m);
void msg_init_queue(msg_t *array, int num);

#endif
