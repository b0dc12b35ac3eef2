/* RIOT sys/include/luid.h. */
#ifndef RIOT_LUID_H
#define RIOT_LUID_H

#include <stddef.h>

void luid_base(void *buf, size_t len);

#endif
