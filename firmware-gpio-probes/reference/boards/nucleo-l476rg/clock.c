#include "clock.h"

#include "board.h"

/* The board has no HSE crystal (UM1724 6.7.1): HSI16 x 10 / 2 = 80 MHz, within 1 % (DS10198, 6.3.8). */
void clock_init(void)
{
    RCC_CR |= RCC_CR_HSION;
    while ((RCC_CR & RCC_CR_HSIRDY) == 0) {
    }
    FLASH_ACR = FLASH_ACR_4WS | FLASH_ACR_PRFTEN | FLASH_ACR_ICEN | FLASH_ACR_DCEN; /* RM0351 3.3.3: above 64 MHz */
    while ((FLASH_ACR & FLASH_ACR_LATENCY) != FLASH_ACR_4WS) {
    }
    RCC_PLLCFGR = RCC_PLLCFGR_HSI16_X10_BY2;
    RCC_CR |= RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR |= RCC_CFGR_SW_PLL;
    while ((RCC_CFGR & RCC_CFGR_SWS) != RCC_CFGR_SWS_PLL) {
    }
}
