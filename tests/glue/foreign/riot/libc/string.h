/* ISO C 7.24 */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t length);
int strcmp(const char *a, const char *b);
size_t strlen(const char *text);
