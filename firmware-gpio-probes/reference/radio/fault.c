#include "fault.h"

#include "radio.h"

static uint32_t faults;

void fault(void)
{
    faults++;
}

uint32_t radio_errors(void)
{
    return faults;
}
