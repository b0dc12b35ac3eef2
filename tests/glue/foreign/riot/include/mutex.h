/* RIOT core/include/mutex.h. */
#ifndef RIOT_MUTEX_H
#define RIOT_MUTEX_H

typedef struct {
    void *queue;
} mutex_t;

#define MUTEX_INIT { 0 }

void mutex_lock(mutex_t *mutex);
void mutex_unlock(mutex_t *mutex);

#endif
