# TelosB / Tmote Sky: MSP430F1611 at 4 MHz, CC2420. Built by clang and lld: Debian has no gcc for this processor.
RADIO := cc2420
CORE := msp430
CC := clang-16
SIZE := llvm-size-16
OBJCOPY := llvm-objcopy-16
TOOLS := $(CC) ld.lld-16 $(SIZE) $(OBJCOPY)
TARGET_FLAGS := --target=msp430 -mmcu=msp430f1611 -mhwmult=none -fno-builtin -fwrapv -Wno-unused-command-line-argument
LINK_SCRIPT := reference/boards/telosb/msp430f1611.ld
LINK := ld.lld-16 --gc-sections --build-id=none --emit-relocs -T $(LINK_SCRIPT) -Map=$(ELF:.elf=.map)
