/** What the glue uses of Contiki-NG 5.0's os/sys/platform.h. Declarations only, written for these tests. */
#ifndef SYS_PLATFORM_H
#define SYS_PLATFORM_H

void platform_init_stage_one(void);
void platform_init_stage_two(void);
void platform_init_stage_three(void);
void platform_idle(void);

#endif
