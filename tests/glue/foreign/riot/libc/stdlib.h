/* ISO C 7.22 */
unsigned long strtoul(const char *text, char **end, int base);
