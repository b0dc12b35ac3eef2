/** What the applications use of a C library, for a compiler that comes without one. Declarations only. */
#ifndef STDIO_H
#define STDIO_H
int printf(const char *format, ...);
#endif
