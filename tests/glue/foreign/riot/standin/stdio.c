/** RIOT's own wrappers (RIOTS_OWN_WRAPS in riotglue.py): that an image has them is what the check needs to see. */
#define OWN(NAME)                                                                                                      \
    void __wrap_##NAME(void);                                                                                          \
    void __wrap_##NAME(void)                                                                                           \
    {                                                                                                                  \
    }

OWN(malloc)
OWN(calloc)
OWN(realloc)
OWN(free)
OWN(printf)
OWN(sprintf)
OWN(snprintf)
OWN(vprintf)
OWN(vsprintf)
OWN(vsnprintf)
OWN(putchar)
OWN(puts)
OWN(__assert_func)
