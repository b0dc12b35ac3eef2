#include "radio_fault.h"

#include "radio.h"

static uint32_t faults;

void radio_fault(void)
{
    faults++;
}

uint32_t radio_errors(void)
{
    return faults;
}
