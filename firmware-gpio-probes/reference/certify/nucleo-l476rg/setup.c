/** The clocks of the rows: 80 MHz at 4 wait states with its caches, or HSI's 16 MHz, without caches and prefetch. */
#include "certify.h"

#include "board.h"
#include "clock.h"

#define RCC_CFGR_SW 3u
#define RCC_CFGR_SW_HSI 1u
#define RCC_CFGR_SWS_HSI (1u << 2)

static void set_flash(uint32_t control)
{
    FLASH_ACR = control;
    while ((FLASH_ACR & FLASH_ACR_LATENCY) != (control & FLASH_ACR_LATENCY)) {
    }
}

#define RCC_AHB1ENR (*(volatile uint32_t *)0x40021048u) /* RM0351 6.4.16 */
#define RCC_AHB1ENR_DMA1EN (1u << 0)

void certify_clock_dma(void)
{
    RCC_AHB1ENR |= RCC_AHB1ENR_DMA1EN;
}

static void switch_to(uint32_t source, uint32_t status)
{
    RCC_CFGR = (RCC_CFGR & ~RCC_CFGR_SW) | source;
    while ((RCC_CFGR & RCC_CFGR_SWS) != status) {
    }
}

void certify_set_up(enum certify_setup setup)
{
    if (setup == CERTIFY_FULL) {
        set_flash(FLASH_ACR_4WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN | FLASH_ACR_DCEN);
        switch_to(RCC_CFGR_SW_PLL, RCC_CFGR_SWS_PLL);
        return;
    }
    switch_to(RCC_CFGR_SW_HSI, RCC_CFGR_SWS_HSI);
    set_flash((uint32_t)setup - CERTIFY_WS0);
}

void certify_start_pll_pulse(uint16_t turns);

void certify_start_pll_pulse(uint16_t turns)
{
    (void)turns;
    switch_to(RCC_CFGR_SW_HSI, RCC_CFGR_SWS_HSI);
    RCC_CR &= ~RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) != 0) {
    }
    certify_line(true);
    RCC_CR |= RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    certify_line(false);
    switch_to(RCC_CFGR_SW_PLL, RCC_CFGR_SWS_PLL);
}
