/** The clocks of the rows: 72 MHz at 2 wait states, or the crystal's 16 MHz, which any number of wait states suits. */
#include "certify.h"

#include "board.h"
#include "clock.h"

#define RCC_CFGR_SW 3u
#define RCC_CFGR_SW_HSE 1u
#define RCC_CFGR_SWS_HSE (1u << 2)

#define RCC_AHBENR (*(volatile uint32_t *)0x40021014u) /* RM0008 7.3.6 */
#define RCC_AHBENR_DMA1EN (1u << 0)

void certify_clock_dma(void)
{
    RCC_AHBENR |= RCC_AHBENR_DMA1EN;
}

static void switch_to(uint32_t source, uint32_t status)
{
    RCC_CFGR = (RCC_CFGR & ~RCC_CFGR_SW) | source;
    while ((RCC_CFGR & RCC_CFGR_SWS) != status) {
    }
}

/* The prefetch stays on: with it off the flash would be another one than that of all firmware (RM0008 3.3.3). */
void certify_set_up(enum certify_setup setup)
{
    if (setup == CERTIFY_FULL) {
        FLASH_ACR = FLASH_ACR_PRFTBE | FLASH_ACR_LATENCY2;
        switch_to(RCC_CFGR_SW_PLL, RCC_CFGR_SWS_PLL);
        return;
    }
    switch_to(RCC_CFGR_SW_HSE, RCC_CFGR_SWS_HSE);
    FLASH_ACR = FLASH_ACR_PRFTBE | ((uint32_t)setup - CERTIFY_WS0);
}

void certify_start_crystal_pulse(uint16_t turns);
void certify_start_pll_pulse(uint16_t turns);

static void run_on_hsi(void)
{
    switch_to(0, 0);
    RCC_CR &= ~(RCC_CR_PLLON | RCC_CR_HSEON);
    while ((RCC_CR & (RCC_CR_PLLRDY | RCC_CR_HSERDY)) != 0) {
    }
}

static void start(uint32_t on, uint32_t ready, bool shown)
{
    certify_line(shown);
    RCC_CR |= on;
    while ((RCC_CR & ready) == 0) {
    }
    certify_line(false);
}

static void restart(bool shows_crystal)
{
    run_on_hsi();
    start(RCC_CR_HSEON, RCC_CR_HSERDY, shows_crystal);
    start(RCC_CR_PLLON, RCC_CR_PLLRDY, !shows_crystal);
    switch_to(RCC_CFGR_SW_PLL, RCC_CFGR_SWS_PLL);
}

void certify_start_crystal_pulse(uint16_t turns)
{
    (void)turns;
    restart(true);
}

void certify_start_pll_pulse(uint16_t turns)
{
    (void)turns;
    restart(false);
}
