/**
 * The registers of the STM32L476RG that this firmware touches, and no others.
 * Addresses: RM0351 table 1 (register boundary addresses); each block names its section of RM0351.
 */
#ifndef STM32L476_H
#define STM32L476_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))
#define REG8(address) (*(volatile uint8_t *)(address))

/* RCC: 6.4 */
#define RCC_CR REG(0x40021000u)
#define RCC_CR_HSION (1u << 8)
#define RCC_CR_HSIRDY (1u << 10)
#define RCC_CR_PLLON (1u << 24)
#define RCC_CR_PLLRDY (1u << 25)
#define RCC_CFGR REG(0x40021008u)
#define RCC_CFGR_SW_PLL (3u << 0)
#define RCC_CFGR_SWS (3u << 2)
#define RCC_CFGR_SWS_PLL (3u << 2)
#define RCC_PLLCFGR REG(0x4002100Cu)
#define RCC_PLLCFGR_SRC_HSI16 (2u << 0)
#define RCC_PLLCFGR_N(n) ((n) << 8)
#define RCC_PLLCFGR_REN (1u << 24)
#define RCC_AHB2ENR REG(0x4002104Cu)
#define RCC_AHB2ENR_GPIOA (1u << 0)
#define RCC_AHB2ENR_GPIOB (1u << 1)
#define RCC_AHB2ENR_GPIOC (1u << 2)
#define RCC_APB1ENR1 REG(0x40021058u)
#define RCC_APB1ENR1_TIM2 (1u << 0)
#define RCC_APB1ENR1_USART2 (1u << 17)
#define RCC_APB2ENR REG(0x40021060u)
#define RCC_APB2ENR_SYSCFG (1u << 0)
#define RCC_APB2ENR_SPI1 (1u << 12)

/* FLASH: 3.7.1 */
#define FLASH_ACR REG(0x40022000u)
#define FLASH_ACR_LATENCY (7u << 0)
#define FLASH_ACR_LATENCY4 (4u << 0)
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)
#define FLASH_ACR_DCEN (1u << 10)

/* GPIO: 8.5 */
#define GPIOA 0x48000000u
#define GPIOB 0x48000400u
#define GPIOC 0x48000800u
#define GPIO_MODER(port) REG((port) + 0x00u)
#define GPIO_OSPEEDR(port) REG((port) + 0x08u)
#define GPIO_IDR(port) REG((port) + 0x10u)
#define GPIO_BSRR(port) REG((port) + 0x18u)
#define GPIO_AFR(port, pin) REG((port) + 0x20u + ((pin) / 8u) * 4u)
#define GPIO_BRR(port) REG((port) + 0x28u)
#define GPIO_INPUT 0u
#define GPIO_OUTPUT 1u /* push-pull: OTYPER is 0 after reset */
#define GPIO_ALTERNATE 2u

/* SYSCFG: 9.2.4; EXTI: 14.5 */
#define SYSCFG_EXTICR2 REG(0x4001000Cu)
#define SYSCFG_EXTICR2_EXTI7_PC (2u << 12)
#define EXTI_IMR1 REG(0x40010400u)
#define EXTI_RTSR1 REG(0x40010408u)
#define EXTI_FTSR1 REG(0x4001040Cu)
#define EXTI_PR1 REG(0x40010414u)

/* General-purpose timers: 31.4; TIM2 has 32 bits */
#define TIM2 0x40000000u
#define TIM_CR1(tim) REG((tim) + 0x00u)
#define TIM_CR1_CEN (1u << 0)
#define TIM_DIER(tim) REG((tim) + 0x0Cu)
#define TIM_SR(tim) REG((tim) + 0x10u)
#define TIM_EGR(tim) REG((tim) + 0x14u)
#define TIM_EGR_UG (1u << 0)
#define TIM_CNT(tim) REG((tim) + 0x24u)
#define TIM_PSC(tim) REG((tim) + 0x28u)
#define TIM_ARR(tim) REG((tim) + 0x2Cu)
#define TIM_CCR(tim, channel) REG((tim) + 0x30u + 4u * (channel)) /* channel 1..4 */
#define TIM_CC(channel) (1u << (channel))                         /* in DIER and SR */

/* SPI: 42.6 */
#define SPI1_CR1 REG(0x40013000u)
#define SPI_CR1_MSTR (1u << 2)
#define SPI_CR1_BR_DIV16 (3u << 3)
#define SPI_CR1_SPE (1u << 6)
#define SPI_CR1_SSI (1u << 8)
#define SPI_CR1_SSM (1u << 9)
#define SPI1_CR2 REG(0x40013004u)
#define SPI_CR2_DS_8_BITS (7u << 8)
#define SPI_CR2_FRXTH (1u << 12)
#define SPI1_SR REG(0x40013008u)
#define SPI_SR_RXNE (1u << 0)
#define SPI1_DR8 REG8(0x4001300Cu) /* an access of 8 bits is one frame: 42.4.9 */

/* USART: 40.8 */
#define USART2_CR1 REG(0x40004400u)
#define USART_CR1_UE (1u << 0)
#define USART_CR1_RE (1u << 2)
#define USART_CR1_TE (1u << 3)
#define USART_CR1_RXNEIE (1u << 5)
#define USART_CR1_TXEIE (1u << 7)
#define USART2_BRR REG(0x4000440Cu)
#define USART2_ISR REG(0x4000441Cu)
#define USART_ISR_ORE (1u << 3)
#define USART_ISR_RXNE (1u << 5)
#define USART_ISR_TXE (1u << 7)
#define USART2_ICR REG(0x40004420u)
#define USART_ICR_ORECF (1u << 3)
#define USART2_RDR REG(0x40004424u)
#define USART2_TDR REG(0x40004428u)

/* Unique device ID: 49.1 */
#define UID_WORD(n) REG(0x1FFF7590u + 4u * (n))

/* Positions in the vector table: table 56 (13.3) */
#define IRQ_EXTI9_5 23u
#define IRQ_TIM2 28u
#define IRQ_USART2 38u

static inline void gpio_mode(uint32_t port, unsigned pin, uint32_t mode)
{
    GPIO_MODER(port) = (GPIO_MODER(port) & ~(3u << (2u * pin))) | mode << (2u * pin);
}

/** The pin belongs to alternate function `function` (data sheet DS10198, tables 17 and 18), at the highest speed. */
static inline void gpio_function(uint32_t port, unsigned pin, uint32_t function)
{
    unsigned shift = (pin % 8u) * 4u;

    GPIO_AFR(port, pin) = (GPIO_AFR(port, pin) & ~(0xFu << shift)) | function << shift;
    GPIO_OSPEEDR(port) |= 3u << (2u * pin);
    gpio_mode(port, pin, GPIO_ALTERNATE);
}

static inline void gpio_set(uint32_t port, unsigned pin)
{
    GPIO_BSRR(port) = 1u << pin;
}

static inline void gpio_clear(uint32_t port, unsigned pin)
{
    GPIO_BRR(port) = 1u << pin;
}

#endif
