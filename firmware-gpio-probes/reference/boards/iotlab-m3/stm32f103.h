/**
 * The registers of the STM32F103RE that this firmware touches, and no others.
 * Addresses: RM0008 table 3 (register boundary addresses); each block names its section of RM0008, or of PM0056 (core).
 */
#ifndef STM32F103_H
#define STM32F103_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))

/* RCC: RM0008 7.3 */
#define RCC_CR REG(0x40021000u)
#define RCC_CR_HSEON (1u << 16)
#define RCC_CR_HSERDY (1u << 17)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_CFGR REG(0x40021004u)
#define RCC_CFGR_SW_PLL (2u << 0)
#define RCC_CFGR_SWS (3u << 2)
#define RCC_CFGR_SWS_PLL (2u << 2)
#define RCC_CFGR_PPRE1_DIV2 (4u << 8)
#define RCC_CFGR_PLLSRC_HSE (1u << 16)
#define RCC_CFGR_PLLXTPRE_DIV2 (1u << 17)
#define RCC_CFGR_PLLMUL9 (7u << 18)
#define RCC_APB2ENR REG(0x40021018u)
#define RCC_APB2ENR_AFIO (1u << 0)
#define RCC_APB2ENR_IOPA (1u << 2)
#define RCC_APB2ENR_IOPB (1u << 3)
#define RCC_APB2ENR_IOPC (1u << 4)
#define RCC_APB2ENR_SPI1 (1u << 12)
#define RCC_APB2ENR_USART1 (1u << 14)
#define RCC_APB1ENR REG(0x4002101Cu)
#define RCC_APB1ENR_TIM2 (1u << 0)
#define RCC_APB1ENR_TIM3 (1u << 1)
#define RCC_APB1ENR_TIM4 (1u << 2)

/* FLASH: RM0008 3.3.3, PM0075 3.1 */
#define FLASH_ACR REG(0x40022000u)
#define FLASH_ACR_LATENCY2 (2u << 0)
#define FLASH_ACR_PRFTBE (1u << 4)

/* GPIO: RM0008 9.2 */
#define GPIOA 0x40010800u
#define GPIOB 0x40010C00u
#define GPIOC 0x40011000u
#define GPIO_CR(port, pin) REG((port) + ((pin) / 8u) * 4u)
#define GPIO_IDR(port) REG((port) + 0x08u)
#define GPIO_BSRR(port) REG((port) + 0x10u)
#define GPIO_INPUT 0x4u         /* floating */
#define GPIO_OUTPUT 0x3u        /* push-pull, 50 MHz */
#define GPIO_ALTERNATE 0xBu     /* the peripheral's output, push-pull, 50 MHz */

/* AFIO, EXTI: RM0008 9.4.4, 10.3 */
#define AFIO_EXTICR2 REG(0x4001000Cu)
#define AFIO_EXTICR2_EXTI4_PC (2u << 0)
#define EXTI_IMR REG(0x40010400u)
#define EXTI_RTSR REG(0x40010408u)
#define EXTI_PR REG(0x40010414u)

/* General-purpose timers: RM0008 15.4 */
#define TIM2 0x40000000u
#define TIM3 0x40000400u
#define TIM4 0x40000800u
#define TIM_CR1(tim) REG((tim) + 0x00u)
#define TIM_CR1_CEN (1u << 0)
#define TIM_CR2(tim) REG((tim) + 0x04u)
#define TIM_CR2_MMS_UPDATE (2u << 4)
#define TIM_SMCR(tim) REG((tim) + 0x08u)
#define TIM_SMCR_SMS_EXTERNAL1 (7u << 0)
#define TIM_SMCR_TS_ITR1 (1u << 4)
#define TIM_DIER(tim) REG((tim) + 0x0Cu)
#define TIM_SR(tim) REG((tim) + 0x10u)
#define TIM_SR_UIF (1u << 0)
#define TIM_EGR(tim) REG((tim) + 0x14u)
#define TIM_EGR_UG (1u << 0)
#define TIM_CCMR2(tim) REG((tim) + 0x1Cu)
#define TIM_CCMR2_OC4PE (1u << 11)
#define TIM_CCMR2_OC4M_PWM1 (6u << 12)
#define TIM_CCER(tim) REG((tim) + 0x20u)
#define TIM_CCER_CC4E (1u << 12)
#define TIM_CNT(tim) REG((tim) + 0x24u)
#define TIM_PSC(tim) REG((tim) + 0x28u)
#define TIM_ARR(tim) REG((tim) + 0x2Cu)
#define TIM_CCR(tim, channel) REG((tim) + 0x30u + 4u * (channel)) /* channel 1..4 */
#define TIM_CC(channel) (1u << (channel))                         /* in DIER, SR and EGR */

/* SPI: RM0008 25.5 */
#define SPI1_CR1 REG(0x40013000u)
#define SPI_CR1_MSTR (1u << 2)
#define SPI_CR1_BR_DIV16 (3u << 3)
#define SPI_CR1_SPE (1u << 6)
#define SPI_CR1_SSI (1u << 8)
#define SPI_CR1_SSM (1u << 9)
#define SPI1_SR REG(0x40013008u)
#define SPI_SR_RXNE (1u << 0)
#define SPI1_DR REG(0x4001300Cu)

/* USART: RM0008 27.6 */
#define USART1_SR REG(0x40013800u)
#define USART_SR_ORE (1u << 3)
#define USART_SR_RXNE (1u << 5)
#define USART_SR_TXE (1u << 7)
#define USART1_DR REG(0x40013804u)
#define USART1_BRR REG(0x40013808u)
#define USART1_CR1 REG(0x4001380Cu)
#define USART_CR1_RE (1u << 2)
#define USART_CR1_TE (1u << 3)
#define USART_CR1_RXNEIE (1u << 5)
#define USART_CR1_TXEIE (1u << 7)
#define USART_CR1_UE (1u << 13)

/* Unique device ID: RM0008 30.2 */
#define UID_WORD(n) REG(0x1FFFF7E8u + 4u * (n))

/* Positions in the vector table: RM0008 table 63 (10.1.2) */
#define IRQ_EXTI4 10u
#define IRQ_TIM2 28u
#define IRQ_USART1 37u

static inline void gpio_mode(uint32_t port, unsigned pin, uint32_t mode)
{
    unsigned shift = (pin % 8u) * 4u;

    GPIO_CR(port, pin) = (GPIO_CR(port, pin) & ~(0xFu << shift)) | mode << shift;
}

static inline void gpio_set(uint32_t port, unsigned pin)
{
    GPIO_BSRR(port) = 1u << pin;
}

static inline void gpio_clear(uint32_t port, unsigned pin)
{
    GPIO_BSRR(port) = 0x10000u << pin;
}

#endif
