#include "clock.h"

#include "board.h"

/*
 * The Nucleo has no crystal for HSE as delivered (UM1724 6.7.1), so the PLL runs from HSI16:
 * 16 MHz / 1 x 10 / 2 = 80 MHz. The core voltage is in range 1 after reset (RM0351 5.4.1), which 80 MHz needs.
 */
void clock_init(void)
{
    RCC_CR |= RCC_CR_HSION;
    while ((RCC_CR & RCC_CR_HSIRDY) == 0) {
    }
    /* 4 wait states above 64 MHz: RM0351 3.3.3 table 9. The new number is in force when it reads back. */
    FLASH_ACR = FLASH_ACR_LATENCY4 | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN | FLASH_ACR_DCEN;
    while ((FLASH_ACR & FLASH_ACR_LATENCY) != FLASH_ACR_LATENCY4) {
    }
    RCC_PLLCFGR = RCC_PLLCFGR_SRC_HSI16 | RCC_PLLCFGR_N(10u) | RCC_PLLCFGR_REN; /* M = 1, R = 2 */
    RCC_CR |= RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR = RCC_CFGR_SW_PLL;
    while ((RCC_CFGR & RCC_CFGR_SWS) != RCC_CFGR_SWS_PLL) {
    }
}
