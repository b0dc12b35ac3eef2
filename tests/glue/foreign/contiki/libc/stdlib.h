/** See stdio.h. */
#ifndef STDLIB_H
#define STDLIB_H
unsigned long strtoul(const char *text, char **end, int base);
#endif
