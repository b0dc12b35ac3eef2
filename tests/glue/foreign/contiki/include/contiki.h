/** What the glue uses of Contiki-NG 5.0's os/contiki.h. Declarations only, written for these tests. */
#ifndef CONTIKI_H
#define CONTIKI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef PROJECT_CONF_PATH
#include PROJECT_CONF_PATH
#endif

typedef unsigned long clock_time_t; /* as on sky and cc2538: arch/cpu */
#define CLOCK_SECOND 128u
clock_time_t clock_time(void);

#include "sys/process.h"

/* os/sys/autostart.h */
#define AUTOSTART_PROCESSES(...) struct process *const autostart_processes[] = {__VA_ARGS__, NULL}
extern struct process *const autostart_processes[];

#endif
