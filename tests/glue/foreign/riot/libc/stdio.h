/* The C library of an MSP430, as far as the application needs it: Debian has none for clang. ISO C 7.21 */
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int puts(const char *text);
int putchar(int character);
#define NULL ((void *)0)
