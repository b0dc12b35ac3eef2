/** The wiring proof and the calibration burst: at boot, and again on the host's request. */
#ifndef WIRING_PROOF_H
#define WIRING_PROOF_H

/** Sends both; the caller keeps interrupts away, which would lengthen some of the calibration events. */
void wiring_proof(void);

/** The same while the firmware runs: waits until the serial line is quiet, and masks interrupts. */
void wiring_proof_again(void);

#endif
