#include "work.h"

#include "stm32f103.h"

static volatile uint32_t posted;

void work_post(uint32_t bits)
{
    uint32_t state = irq_lock();

    posted |= bits;
    irq_unlock(state);
}

void work_cancel(uint32_t bits)
{
    uint32_t state = irq_lock();

    posted &= ~bits;
    irq_unlock(state);
}

/* A pending interrupt ends WFI even with PRIMASK set (PM0056 2.5.2): none slips in between the test and the sleep. */
uint32_t work_wait(void)
{
    uint32_t state = irq_lock();
    uint32_t bits;

    while (posted == 0) {
        __asm__ volatile("dsb\n\twfi" : : : "memory");
        irq_unlock(state);
        __asm__ volatile("isb" : : : "memory"); /* the pending handler runs here */
        state = irq_lock();
    }
    bits = posted;
    posted = 0;
    irq_unlock(state);
    return bits;
}
