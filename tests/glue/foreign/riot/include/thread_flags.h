/* RIOT core/include/thread_flags.h. */
#ifndef RIOT_THREAD_FLAGS_H
#define RIOT_THREAD_FLAGS_H

#include "thread.h"

typedef uint16_t thread_flags_t;

thread_flags_t thread_flags_wait_any(thread_flags_t mask);
thread_flags_t thread_flags_clear(thread_flags_t mask);
void thread_flags_set(thread_t *thread, thread_flags_t mask);

#endif
