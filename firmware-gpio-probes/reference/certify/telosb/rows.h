/* Generated from rig/gpiorig/rig/certify/rows.toml by `make generate`. Do not edit. */
#ifndef CERTIFY_ROWS_H
#define CERTIFY_ROWS_H

#define CERTIFY_ROWS \
    ROW(1, clock, CERTIFY_FULL, 1, 41, 4) \
    ROW(2, crystal, CERTIFY_FULL, 4, 68, 4) \
    ROW(52, narrow, CERTIFY_FULL, 8, 72, 8) \
    ROW(53, branch_0, CERTIFY_FULL, 8, 72, 8) \
    ROW(54, store, CERTIFY_FULL, 8, 72, 8) \
    ROW(55, load, CERTIFY_FULL, 8, 72, 8) \
    ROW(56, modify_0, CERTIFY_FULL, 8, 72, 8) \
    ROW(57, call, CERTIFY_FULL, 8, 72, 8) \
    ROW(58, interrupt_turn, CERTIFY_FULL, 8, 72, 8) \
    ROW(59, wake_light, CERTIFY_FULL, 1, 0, 16) \
    ROW(60, wake_deep, CERTIFY_FULL, 1, 0, 16)

#endif
