# What the boards with a Cortex-M have in common.
CORE := cortex_m
CROSS ?= arm-none-eabi-
TOOLS := $(CROSS)gcc $(CROSS)size $(CROSS)objcopy
CC := $(CROSS)gcc
SIZE := $(CROSS)size
OBJCOPY := $(CROSS)objcopy
# One that is not in /usr names its headers as if it were (tools/arm_compiler.sh): the same bytes.
TARGET_FLAGS = -mthumb $(if $(filter /%,$(CROSS)),-ffile-prefix-map=$(CROSS:%/usr/bin/arm-none-eabi-=%)=)
LINK = $(CC) $(TARGET_FLAGS) -nostartfiles --specs=nosys.specs -Wl,--gc-sections -Wl,--build-id=none -Wl,--emit-relocs \
    -Wl,--no-warn-rwx-segments -Wl,-T,$(LINK_SCRIPT) -Wl,-Map,$(ELF:.elf=.map)
