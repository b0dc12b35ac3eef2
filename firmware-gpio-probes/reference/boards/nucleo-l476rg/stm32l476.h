/**
 * The registers of the STM32L476 that this firmware touches, and no others.
 * Addresses: RM0351 2.2.2 (register boundary addresses); each block names its section.
 */
#ifndef STM32L476_H
#define STM32L476_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))

/* RCC: RM0351 6.4 */
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
#define RCC_PLLCFGR_HSI16_X10_BY2 (2u << 0 | 0u << 4 | 10u << 8 | 1u << 24)
#define RCC_AHB2ENR REG(0x4002104Cu)
#define RCC_AHB2ENR_GPIO(port) (1u << (port))
#define RCC_APB1ENR1 REG(0x40021058u)
#define RCC_APB1ENR1_TIM2 (1u << 0)
#define RCC_APB1ENR1_USART2 (1u << 17)
#define RCC_APB2ENR REG(0x40021060u)
#define RCC_APB2ENR_SYSCFG (1u << 0)
#define RCC_APB2ENR_SPI1 (1u << 12)

/* FLASH: RM0351 3.7.1 */
#define FLASH_ACR REG(0x40022000u)
#define FLASH_ACR_LATENCY (7u << 0)
#define FLASH_ACR_4WS (4u << 0)
#define FLASH_ACR_PRFTEN (1u << 8)
#define FLASH_ACR_ICEN (1u << 9)
#define FLASH_ACR_DCEN (1u << 10)

/* GPIO: RM0351 8.5; ports by number, A is 0 */
#define PORT_A 0u
#define PORT_B 1u
#define PORT_C 2u
#define GPIO(port, offset) REG(0x48000000u + 0x400u * (port) + (offset))
#define GPIO_MODER(port) GPIO(port, 0x00u)
#define GPIO_OSPEEDR(port) GPIO(port, 0x08u)
#define GPIO_IDR(port) GPIO(port, 0x10u)
#define GPIO_BSRR(port) GPIO(port, 0x18u)
#define GPIO_AFR(port, pin) GPIO(port, 0x20u + 4u * ((pin) / 8u))
#define GPIO_INPUT 0u
#define GPIO_OUTPUT 1u
#define GPIO_ALTERNATE 2u

/* SYSCFG, EXTI: RM0351 9.2.4, 14.5 */
#define SYSCFG_EXTICR2 REG(0x4001000Cu)
#define SYSCFG_EXTICR2_EXTI7 (15u << 12)
#define SYSCFG_EXTICR2_EXTI7_PC (2u << 12)
#define EXTI_IMR1 REG(0x40010400u)
#define EXTI_RTSR1 REG(0x40010408u)
#define EXTI_FTSR1 REG(0x4001040Cu)
#define EXTI_PR1 REG(0x40010414u)

/* TIM2, 32 bits: RM0351 31.4 */
#define TIM2_CR1 REG(0x40000000u)
#define TIM_CR1_CEN (1u << 0)
#define TIM2_DIER REG(0x4000000Cu)
#define TIM2_SR REG(0x40000010u)
#define TIM2_EGR REG(0x40000014u)
#define TIM_EGR_UG (1u << 0)
#define TIM2_CNT REG(0x40000024u)
#define TIM2_PSC REG(0x40000028u)
#define TIM2_ARR REG(0x4000002Cu)
#define TIM2_CCR(channel) REG(0x40000030u + 4u * (channel)) /* channel 1..4 */
#define TIM_CC(channel) (1u << (channel))                   /* in DIER, SR and EGR */

/* SPI: RM0351 42.6 */
#define SPI1_CR1 REG(0x40013000u)
#define SPI_CR1_MSTR (1u << 2)
#define SPI_CR1_BR_DIV16 (3u << 3)
#define SPI_CR1_SPE (1u << 6)
#define SPI_CR1_SSI (1u << 8)
#define SPI_CR1_SSM (1u << 9)
#define SPI1_CR2 REG(0x40013004u)
#define SPI_CR2_8_BITS (7u << 8)
#define SPI_CR2_FRXTH (1u << 12)
#define SPI1_SR REG(0x40013008u)
#define SPI_SR_RXNE (1u << 0)
#define SPI1_DR_BYTE (*(volatile uint8_t *)0x4001300Cu)

/* USART: RM0351 40.8 */
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

/* Unique device ID: RM0351 49.1 */
#define UID_WORD(n) REG(0x1FFF7590u + 4u * (n))

/* NVIC positions: RM0351 13.3, table 57 */
#define IRQ_EXTI9_5 23u
#define IRQ_TIM2 28u
#define IRQ_USART2 38u

static inline void gpio_mode(unsigned port, unsigned pin, uint32_t mode)
{
    GPIO_MODER(port) = (GPIO_MODER(port) & ~(3u << 2u * pin)) | mode << 2u * pin;
    GPIO_OSPEEDR(port) |= 3u << 2u * pin;
}

static inline void gpio_alternate(unsigned port, unsigned pin, uint32_t function)
{
    unsigned shift = 4u * (pin % 8u);

    GPIO_AFR(port, pin) = (GPIO_AFR(port, pin) & ~(15u << shift)) | function << shift;
    gpio_mode(port, pin, GPIO_ALTERNATE);
}

static inline void gpio_set(unsigned port, unsigned pin)
{
    GPIO_BSRR(port) = 1u << pin;
}

static inline void gpio_clear(unsigned port, unsigned pin)
{
    GPIO_BSRR(port) = 0x10000u << pin;
}

#endif
