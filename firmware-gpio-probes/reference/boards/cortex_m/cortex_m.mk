# What the boards with a Cortex-M have in common.
CORE := cortex_m
CROSS ?= arm-none-eabi-
TOOLS := $(CROSS)gcc $(CROSS)size $(CROSS)objcopy
CC := $(CROSS)gcc
SIZE := $(CROSS)size
OBJCOPY := $(CROSS)objcopy
TARGET_FLAGS = -mthumb
LINK = $(CC) $(TARGET_FLAGS) -nostartfiles --specs=nosys.specs -Wl,--gc-sections -Wl,--build-id=none -Wl,--emit-relocs \
    -Wl,--no-warn-rwx-segments -Wl,-T,$(LINK_SCRIPT) -Wl,-Map,$(ELF:.elf=.map)
