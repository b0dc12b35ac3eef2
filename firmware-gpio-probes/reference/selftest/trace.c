#include "trace.h"

#include "board.h"
#include "checks.h"
#include "line.h"

static struct line result;

void trace_begin(const char *name)
{
    line_text(&result, name);
    line_text(&result, " trace=");
}

void trace(char letter)
{
    irq_state state = irq_lock();
    const char text[] = { letter, '\0' };

    line_text(&result, text);
    irq_unlock(state);
}

void trace_number(const char *key, uint32_t number)
{
    line_pair(&result, key, number);
}

void trace_end(void)
{
    actor_post(&console_actor, (struct message){ .type = NEXT });
}

void trace_say(void)
{
    if (result.length > 0) {
        line_send(&result);
    }
}
