# IoT-LAB M3 open node: STM32F103RE at 72 MHz, AT86RF231.
RADIO := at86rf231
include reference/boards/cortex_m/cortex_m.mk
TARGET_FLAGS += -mcpu=cortex-m3
LINK_SCRIPT := reference/boards/iotlab-m3/stm32f103re.ld
