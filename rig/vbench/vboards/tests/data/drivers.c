/* What drivers of the STM32F103 do (the order of accesses that RM0008 and PM0075 ask for), each with its busy-waits, on
 * HSI at 8 MHz. One line per device on USART1 at 500 kbaud; the last lines come after a watchdog reset and Standby. */
#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(address))
#define REG16(address) (*(volatile uint16_t *)(address))
#define RCC 0x40021000u
#define PWR 0x40007000u
#define RTC 0x40002800u
#define BKP 0x40006C00u
#define FLASH 0x40022000u
#define DMA1 0x40020000u
#define USART1 0x40013800u
#define I2C1 0x40005400u
#define ADC1 0x40012400u
#define EXTI 0x40010400u
#define SCR REG(0xE000ED10u)
#define NVIC_ISER ((volatile uint32_t *)0xE000E100u)
#define PAGE 0x0807F800u

static volatile uint32_t alarms;
static uint32_t from[4], to[4];

static void say(const char *text)
{
    while (*text) {
        while (!(REG(USART1) & 0x80)) {
        }
        REG(USART1 + 4) = (uint8_t)*text++;
    }
    while (!(REG(USART1) & 0x40)) {
    }
}

static void result(const char *name, int good)
{
    say(name);
    say(good ? " ok\n" : " FAILED\n");
}

static void rtc_open(void)
{
    while (!(REG(RTC + 4) & 0x20)) {
    }
    REG(RTC + 4) |= 0x10;
}

static void rtc_close(void)
{
    REG(RTC + 4) &= ~0x10u;
    while (!(REG(RTC + 4) & 0x20)) {
    }
}

static uint32_t rtc_count(void)
{
    REG(RTC + 4) &= ~8u;
    while (!(REG(RTC + 4) & 8)) {
    }
    return REG(RTC + 0x18) << 16 | REG(RTC + 0x1C);
}

static void rtc_alarm(uint32_t at)
{
    rtc_open();
    REG(RTC + 0x20) = at >> 16;
    REG(RTC + 0x24) = at & 0xFFFF;
    rtc_close();
}

static void rtc_start(void)
{
    REG(RCC + 0x20) |= 1; /* LSE */
    while (!(REG(RCC + 0x20) & 2)) {
    }
    REG(RCC + 0x20) |= 1 << 8 | 1 << 15;
    rtc_open();
    REG(RTC + 0x18) = 0;
    REG(RTC + 0x1C) = 0;
    REG(RTC + 0x08) = 0;
    REG(RTC + 0x0C) = 31; /* 1024 Hz */
    rtc_close();
}

static void stop(void)
{
    NVIC_ISER[1] = 1 << (41 - 32);
    REG(EXTI + 8) |= 1 << 17;
    REG(EXTI) |= 1 << 17;
    uint32_t before = rtc_count();
    rtc_alarm(before + 102);
    REG(PWR) = 0x101; /* DBP, LPDS */
    SCR = 4;
    while (!alarms) {
        __asm volatile("wfi");
    }
    SCR = 0;
    uint32_t slept = rtc_count() - before;
    result("stop", slept >= 102 && slept <= 104 && (REG(RCC + 4) & 0xC) == 0);
}

static void flash(void)
{
    REG(FLASH + 4) = 0x45670123;
    REG(FLASH + 4) = 0xCDEF89AB;
    REG(FLASH + 0x10) = 2;
    REG(FLASH + 0x14) = PAGE;
    REG(FLASH + 0x10) |= 0x40;
    while (REG(FLASH + 0x0C) & 1) {
    }
    int good = (REG(FLASH + 0x0C) & 0x20) != 0 && REG16(PAGE) == 0xFFFF;
    REG(FLASH + 0x0C) = 0x34;
    REG(FLASH + 0x10) = 1;
    REG16(PAGE + 6) = 0xBEEF;
    while (REG(FLASH + 0x0C) & 1) {
    }
    good &= REG16(PAGE + 6) == 0xBEEF && !(REG(FLASH + 0x0C) & 4);
    REG16(PAGE + 6) = 0x1234;
    while (REG(FLASH + 0x0C) & 1) {
    }
    good &= REG16(PAGE + 6) == 0xBEEF && (REG(FLASH + 0x0C) & 4);
    REG(FLASH + 0x10) = 0x80;
    result("flash", good);
}

static void dma(void)
{
    static const char text[] = "dma sends\n";
    for (uint32_t i = 0; i < 4; i++) {
        from[i] = 0x01020304u * (i + 1);
    }
    REG(RCC + 0x14) |= 1;
    REG(DMA1 + 0x10) = (uint32_t)from;
    REG(DMA1 + 0x14) = (uint32_t)to;
    REG(DMA1 + 0x0C) = 4;
    REG(DMA1 + 0x08) = 0x4AC1; /* MEM2MEM, words, both increment */
    while (!(REG(DMA1) & 2)) {
    }
    int good = 1;
    for (uint32_t i = 0; i < 4; i++) {
        good &= to[i] == from[i];
    }
    result("dma", good && REG(DMA1 + 0x0C) == 0);
    REG(DMA1 + 4) = 0xF;
    REG(DMA1 + 0x08 + 60) = 0;
    REG(DMA1 + 0x0C + 60) = sizeof(text) - 1;
    REG(DMA1 + 0x10 + 60) = USART1 + 4;
    REG(DMA1 + 0x14 + 60) = (uint32_t)text;
    REG(USART1) = ~0x40u;
    REG(DMA1 + 0x08 + 60) = 0x91;
    REG(USART1 + 0x14) = 0x80;
    while (!(REG(DMA1) & 0x2000)) {
    }
    while (!(REG(USART1) & 0x40)) {
    }
    REG(USART1 + 0x14) = 0;
}

static void i2c(void)
{
    REG(RCC + 0x1C) |= 1 << 21;
    REG(I2C1) = 0x8000;
    REG(I2C1) = 0;
    REG(I2C1 + 4) = 8;
    REG(I2C1 + 0x1C) = 40;
    REG(I2C1 + 0x20) = 9;
    REG(I2C1) = 1;
    int good = 1;
    for (int i = 0; i < 3; i++) {
        REG(I2C1) |= 0x500;
        while (!(REG(I2C1 + 0x14) & 1)) {
        }
        REG(I2C1 + 0x10) = 0x3C;
        while (!(REG(I2C1 + 0x14) & 0x402)) {
        }
        good &= (REG(I2C1 + 0x14) & 0x402) == 0x400;
        REG(I2C1 + 0x14) &= ~0x400u;
        REG(I2C1) |= 0x200;
        while (REG(I2C1) & 0x200) {
        }
        while (REG(I2C1 + 0x18) & 2) {
        }
    }
    result("i2c", good);
}

static void adc(void)
{
    REG(RCC + 0x18) |= 1 << 9;
    REG(ADC1 + 8) |= 1;
    REG(ADC1 + 8) |= 8;
    while (REG(ADC1 + 8) & 8) {
    }
    REG(ADC1 + 8) |= 4;
    while (REG(ADC1 + 8) & 4) {
    }
    REG(ADC1 + 8) |= 0x1E0000;
    REG(ADC1 + 8) |= 1 << 22;
    while (!(REG(ADC1) & 2)) {
    }
    result("adc", REG(ADC1 + 0x4C) <= 0xFFF && !(REG(ADC1) & 2));
}

void main_(void)
{
    REG(RCC + 0x18) |= 1 << 14 | 1 << 2 | 1;
    REG(RCC + 0x1C) |= 3 << 27;
    REG(PWR) = 0x100;
    REG(0x40010804u) = 0x444444B4; /* PA9 */
    REG(USART1 + 8) = 16;
    REG(USART1 + 0x0C) = 0x200C;
    if (REG(PWR + 4) & 2) {
        result("standby", REG(BKP + 4) == 0xA5A5 && rtc_count() > 200);
        for (;;) {
            __asm volatile("wfi");
        }
    }
    if (REG(RCC + 0x24) & 1 << 29) {
        result("watchdog", REG(BKP + 4) == 0xA5A5 && rtc_count() > 102);
        rtc_alarm(rtc_count() + 100);
        REG(PWR) = 0x10E;
        SCR = 4;
        __asm volatile("wfi");
        say("not in standby\n");
    }
    rtc_start();
    stop();
    flash();
    dma();
    i2c();
    adc();
    REG(BKP + 4) = 0xA5A5;
    REG(0x40003000u) = 0x5555;
    REG(0x40003004u) = 1;
    REG(0x40003008u) = 99; /* 100 * 8 / 40 kHz: 20 ms */
    while (REG(0x4000300Cu)) {
    }
    REG(0x40003000u) = 0xCCCC;
    for (;;) {
    }
}

static void rtc_alarm_isr(void)
{
    alarms++;
    REG(RTC + 4) &= ~2u;
    REG(EXTI + 0x14) = 1 << 17;
}

static void fault(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16 + 42])(void) = {
    (void (*)(void))0x20010000, main_, fault, fault, [16 + 41] = rtc_alarm_isr,
};
