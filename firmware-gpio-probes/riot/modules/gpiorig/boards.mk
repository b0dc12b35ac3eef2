# The port of the probe library (a folder of firmware-gpio-probes/ports) for each of RIOT's boards, and which interrupt
# the radio has, as a number of the NVIC, where interrupts are seen one by one (vectors.c).
GPIORIG_PORT-iotlab-m3 := iotlab-m3
GPIORIG_IRQ_RADIO-iotlab-m3 := 10 # EXTI4: PC4, boards/iotlab-m3/include/board.h; RM0008 table 63
GPIORIG_PORT-nucleo-l476rg := nucleo-l476rg
GPIORIG_IRQ_RADIO-nucleo-l476rg := 23 # EXTI9_5: PC7, as app/Makefile wires the radio; RM0351 table 57
GPIORIG_PORT-nrf52840dk := nrf52840dk
GPIORIG_IRQ_RADIO-nrf52840dk := 1 # RADIO: nRF52840 Product Specification, "Instantiation"
GPIORIG_PORT-telosb := telosb

# Of each board with this processor; RIOT takes its alternate map of interrupts (cpu/cc2538/cpu.c, SYS_CTRL_I_MAP).
ifeq (cc2538,$(CPU))
  GPIORIG_IRQ_RADIO ?= 26 # RF_RXTX_ALT_IRQn, cpu/cc2538/include/cc2538.h
  GPIORIG_CFLAGS += -DGPIORIG_IRQ_TABLE_CC2538
endif

# Any other board: make GPIORIG_PORT=<folder under ports, of the same processor> GPIORIG_IRQ_RADIO=<number>.
GPIORIG_PORT ?= $(strip $(GPIORIG_PORT-$(BOARD)))
GPIORIG_IRQ_RADIO ?= $(strip $(GPIORIG_IRQ_RADIO-$(BOARD)))

ifeq (,$(filter off,$(GPIORIG_PROBES))$(wildcard $(GPIORIG_LIBRARY)/ports/$(or $(GPIORIG_PORT),none)/port.h))
  $(error gpiorig: no pins are known for BOARD=$(BOARD). Give GPIORIG_PORT, a folder under $(GPIORIG_LIBRARY)/ports; \
    README.md there says how to add one)
endif

GPIORIG_CFLAGS += $(GPIORIG_IRQ_RADIO:%=-DGPIORIG_IRQ_RADIO=%)
GPIORIG_CFLAGS-off := -DGPIORIG_OFF
GPIORIG_CFLAGS-empty := -DGPIORIG_VARIANT_EMPTY
GPIORIG_CFLAGS-doubled := -DGPIORIG_VARIANT_DOUBLED
ifeq (,$(filter normal empty doubled off,$(GPIORIG_PROBES)))
  $(error PROBES=$(GPIORIG_PROBES): it is normal, empty, doubled or off)
endif

# Processors that can have their vectors in RAM.
ifneq (,$(filter cortex-m3 cortex-m4% cortex-m7% cortex-m33%,$(CPU_CORE) $(CPU_ARCH)))
  GPIORIG_CFLAGS += -DGPIORIG_VECTORS
endif
