/** What the stack uses of the C library's strings; there is no C library for this processor here. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memset(void *to, int byte, size_t length);
int memcmp(const void *one, const void *other, size_t length);
size_t strlen(const char *text);
int strncmp(const char *one, const char *other, size_t length);
char *strchr(const char *text, int wanted);

#endif
