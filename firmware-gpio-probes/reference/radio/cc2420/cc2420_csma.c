#include "cc2420_csma.h"

#include "seed.h"

/* IEEE 802.15.4-2006, table 86 */
#define MAX_EXPONENT 5u
#define RETRIES 4u
#define PERIOD_US 320u /* 20 symbols */

static bool has_backoff;
static uint32_t random_state;
static uint8_t tries, exponent, exponent_first;

void csma_configure(const struct radio_settings *settings)
{
    has_backoff = settings->backoff;
    exponent_first = has_backoff ? settings->exponent : 0;
    random_state = mix_seed(settings->seed, settings->address) | 1u; /* xorshift never leaves 0 */
}

/** Marsaglia's xorshift (Journal of Statistical Software 8, 14, 2003), shifts 13, 17, 5. */
static uint32_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static uint32_t backoff_us(void)
{
    uint16_t periods = (uint16_t)(draw() >> 16) & ((1u << exponent) - 1u);

    return periods * (uint32_t)PERIOD_US;
}

uint32_t csma_start(void)
{
    tries = 0;
    exponent = exponent_first;
    return backoff_us();
}

bool csma_retry(uint32_t *wait_us)
{
    if (++tries > RETRIES) {
        return false;
    }
    if (has_backoff && exponent < MAX_EXPONENT) {
        exponent++;
    }
    *wait_us = backoff_us();
    return true;
}
