#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    char *out = to;
    const char *in = from;

    while (length-- > 0) {
        *out++ = *in++;
    }
    return to;
}

void *memset(void *to, int byte, size_t length)
{
    char *out = to;

    while (length-- > 0) {
        *out++ = (char)byte;
    }
    return to;
}

int memcmp(const void *one, const void *other, size_t length)
{
    const unsigned char *a = one, *b = other;

    for (; length > 0; length--, a++, b++) {
        if (*a != *b) {
            return *a - *b;
        }
    }
    return 0;
}

size_t strlen(const char *text)
{
    const char *end = text;

    while (*end != '\0') {
        end++;
    }
    return (size_t)(end - text);
}

int strncmp(const char *one, const char *other, size_t length)
{
    for (; length > 0; length--, one++, other++) {
        if (*one != *other || *one == '\0') {
            return (unsigned char)*one - (unsigned char)*other;
        }
    }
    return 0;
}

char *strchr(const char *text, int wanted)
{
    for (; *text != (char)wanted; text++) {
        if (*text == '\0') {
            return NULL;
        }
    }
    return (char *)text;
}
