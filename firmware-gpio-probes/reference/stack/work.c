#include "work.h"

#include "board.h"

static volatile uint32_t posted;

void work_post(uint32_t bits)
{
    irq_state state = irq_lock();

    posted |= bits;
    irq_unlock(state);
}

void work_cancel(uint32_t bits)
{
    irq_state state = irq_lock();

    posted &= ~bits;
    irq_unlock(state);
}

uint32_t work_wait(void)
{
    irq_state state = irq_lock();
    uint32_t bits;

    while (posted == 0) {
        state = irq_sleep(state);
    }
    bits = posted;
    posted = 0;
    irq_unlock(state);
    return bits;
}
