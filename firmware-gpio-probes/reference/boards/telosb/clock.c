#include "clock.h"

#include "board.h"

#define PERIODS 8u /* of ACLK that a measurement lasts: 2 ms, many turns of the modulator */
#define TARGET (SMCLK_HZ / ACLK_HZ * PERIODS + SMCLK_HZ % ACLK_HZ * PERIODS / ACLK_HZ)
#define CRYSTAL_PERIODS 256u /* it has to start first; until then there are no edges to wait for */

/** Ticks of SMCLK in a number of periods of ACLK, which Timer_A captures (CCI2B: SLAS368, timer A3 signal connections). */
static uint16_t measure(uint16_t periods)
{
    uint16_t first = 0;

    for (uint16_t edge = 0; edge <= periods; edge++) {
        TACCTL2 &= (uint16_t)~CCTL_CCIFG;
        while ((TACCTL2 & CCTL_CCIFG) == 0) {
        }
        if (edge == 0) {
            first = TACCR2;
        }
    }
    return (uint16_t)(TACCR2 - first);
}

static uint16_t distance(uint8_t setting)
{
    uint16_t ticks;

    DCOCTL = setting;
    measure(1); /* the period during which the setting changed */
    ticks = measure(PERIODS);
    return ticks > TARGET ? ticks - TARGET : TARGET - ticks;
}

/*
 * DCO tap and modulation lie side by side in DCOCTL, and the frequency rises with both: the setting is found bit by bit.
 * With RSEL 7 and the internal resistor the taps reach from 2.3 to 4.9 MHz, +-10 % from part to part (SLAS368, DCO).
 */
static uint8_t find_setting(void)
{
    uint8_t setting = 0;

    for (uint8_t bit = 0x80; bit != 0; bit >>= 1) {
        DCOCTL = setting | bit;
        measure(1);
        if (measure(PERIODS) <= TARGET) {
            setting |= bit;
        }
    }
    return setting < 0xFFu && distance(setting + 1u) < distance(setting) ? setting + 1u : setting;
}

void clock_init(void)
{
    BCSCTL1 = BCSCTL1_XT2OFF | BCSCTL1_DIVA_8 | BCSCTL1_RSEL_7;
    BCSCTL2 = 0; /* MCLK and SMCLK: the DCO, undivided */
    TACTL = TCTL_SSEL_SMCLK | TCTL_MC_CONTINUOUS | TCTL_CLR;
    TACCTL2 = CCTL_CM_RISING | CCTL_CCIS_B | CCTL_SCS | CCTL_CAP;
    measure(CRYSTAL_PERIODS);
    DCOCTL = find_setting();
    TACCTL2 = 0;
    TACTL = 0;
    __asm__ volatile("eint\n\tnop" : : : "memory");
}
