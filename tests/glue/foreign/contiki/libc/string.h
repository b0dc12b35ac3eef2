/** See stdio.h. */
#ifndef STRING_H
#define STRING_H
#include <stddef.h>
int strcmp(const char *one, const char *other);
char *strchr(const char *text, int character);
char *strtok(char *text, const char *separators);
void *memcpy(void *to, const void *from, size_t length);
void *memset(void *to, int octet, size_t length);
#endif
