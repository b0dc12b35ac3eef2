/* Stand-in for bsp/boards/iot-lab_M3/board_info.h. */
#ifndef BOARD_INFO_H
#define BOARD_INFO_H

#include <stdint.h>

#define DISABLE_INTERRUPTS() __asm__ volatile("cpsid i" : : : "memory")
#define ENABLE_INTERRUPTS() __asm__ volatile("cpsie i" : : : "memory")
#define PORT_TIMER_WIDTH uint32_t

#endif
