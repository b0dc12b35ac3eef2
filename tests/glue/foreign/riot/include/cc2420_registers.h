/* RIOT drivers/cc2420/include/cc2420_registers.h. */
#ifndef RIOT_CC2420_REGISTERS_H
#define RIOT_CC2420_REGISTERS_H

#define CC2420_STROBE_TXON (0x04)
#define CC2420_STROBE_TXONCCA (0x05)
#define CC2420_STROBE_FLUSHTX (0x09)

#endif
