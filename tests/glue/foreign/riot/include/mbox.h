/* RIOT core/include/mbox.h, compared with commit 12194ad9: the two functions that the inline ones stand on. */
#ifndef RIOT_MBOX_H
#define RIOT_MBOX_H

#include "msg.h"

typedef struct {
    msg_t *msg_array;
    unsigned head, count, size;
    kernel_pid_t reader; /* the stand-in's; RIOT has lists of threads and a cib_t */
} mbox_t;

enum { NON_BLOCKING, BLOCKING };

int _mbox_put(mbox_t *mbox, msg_t *msg, int blocking);
int _mbox_get(mbox_t *mbox, msg_t *msg, int blocking);

#endif
