# Nucleo-L476RG: STM32L476RG at 80 MHz; X-NUCLEO-IDS01A4 or A5 with SPIRIT1, or RADIO=at86rf231 on jumper wires.
RADIO ?= spirit1
include reference/boards/cortex_m.mk
TARGET_FLAGS += -mcpu=cortex-m4 -mfloat-abi=soft -DRADIO_IS_$(RADIO)
LINK_SCRIPT := reference/boards/nucleo-l476rg/stm32l476rg.ld
