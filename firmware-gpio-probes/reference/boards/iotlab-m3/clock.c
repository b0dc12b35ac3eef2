#include "clock.h"

#include "board.h"

/*
 * The IoT-LAB M3 has a 16 MHz crystal (RIOT, boards/common/iotlab/include/periph_conf_common.h: CLOCK_HSE).
 * 16 MHz / 2 x 9 = 72 MHz.
 */
void clock_init(void)
{
    RCC_CR |= RCC_CR_HSEON;
    while ((RCC_CR & RCC_CR_HSERDY) == 0) {
    }
    FLASH_ACR = FLASH_ACR_PRFTBE | FLASH_ACR_LATENCY2; /* 2 wait states above 48 MHz: RM0008 3.3.3 */
    RCC_CFGR = RCC_CFGR_PLLMUL9 | RCC_CFGR_PLLXTPRE_DIV2 | RCC_CFGR_PLLSRC_HSE | RCC_CFGR_PPRE1_DIV2;
    RCC_CR |= RCC_CR_PLLON;
    while ((RCC_CR & RCC_CR_PLLRDY) == 0) {
    }
    RCC_CFGR |= RCC_CFGR_SW_PLL;
    while ((RCC_CFGR & RCC_CFGR_SWS) != RCC_CFGR_SWS_PLL) {
    }
}
