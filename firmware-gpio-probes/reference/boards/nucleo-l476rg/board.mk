# Nucleo-L476RG with an X-NUCLEO-IDS01A4 or A5: STM32L476RG at 80 MHz, SPIRIT1.
RADIO ?= spirit1
include reference/boards/cortex_m/cortex_m.mk
TARGET_FLAGS += -mcpu=cortex-m4 -mfloat-abi=soft -DRADIO_IS_$(RADIO)
LINK_SCRIPT := reference/boards/nucleo-l476rg/stm32l476rg.ld
