/** What the glue uses of Contiki-NG 5.0's os/sys/pt.h and lc-switch.h. Declarations only, written for these tests. */
#ifndef SYS_PT_H
#define SYS_PT_H

struct pt {
    unsigned short lc;
};

#define PT_WAITING 0
#define PT_YIELDED 1
#define PT_EXITED 2
#define PT_ENDED 3

#define PT_THREAD(name_and_arguments) char name_and_arguments
#define PT_INIT(pt) ((pt)->lc = 0)

#endif
