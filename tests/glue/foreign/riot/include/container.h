/* RIOT core/lib/include/container.h. */
#ifndef RIOT_CONTAINER_H
#define RIOT_CONTAINER_H

#include <stddef.h>

#define container_of(pointer, type, member) ((type *)(void *)((char *)(pointer) - offsetof(type, member)))

#endif
