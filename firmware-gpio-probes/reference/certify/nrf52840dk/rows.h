/* Generated from rig/gpiorig/rig/certify/rows.toml by `make generate`. Do not edit. */
#ifndef CERTIFY_ROWS_H
#define CERTIFY_ROWS_H

#define CERTIFY_ROWS \
    ROW(1, clock, CERTIFY_FULL, 1, 41, 4) \
    ROW(3, square, CERTIFY_FULL, 63, 0, 16) \
    ROW(19, narrow, CERTIFY_FULL, 8, 264, 8) \
    ROW(20, wide, CERTIFY_FULL, 8, 264, 8) \
    ROW(21, branch_0, CERTIFY_FULL, 8, 1032, 8) \
    ROW(22, branch_2, CERTIFY_FULL, 8, 1032, 8) \
    ROW(23, branch_4, CERTIFY_FULL, 8, 1032, 8) \
    ROW(24, branch_6, CERTIFY_FULL, 8, 1032, 8) \
    ROW(25, call, CERTIFY_FULL, 8, 264, 8) \
    ROW(26, store, CERTIFY_FULL, 8, 264, 8) \
    ROW(27, load, CERTIFY_FULL, 8, 264, 8) \
    ROW(28, modify_0, CERTIFY_FULL, 8, 264, 8) \
    ROW(29, modify_2, CERTIFY_FULL, 8, 264, 8) \
    ROW(30, modify_4, CERTIFY_FULL, 8, 264, 8) \
    ROW(31, modify_6, CERTIFY_FULL, 8, 264, 8) \
    ROW(32, load_ram, CERTIFY_FULL, 8, 264, 8) \
    ROW(33, load_alone, CERTIFY_FULL, 8, 264, 8) \
    ROW(34, store_ram, CERTIFY_FULL, 8, 264, 8) \
    ROW(35, store_indexed, CERTIFY_FULL, 8, 264, 8) \
    ROW(36, load_multiple, CERTIFY_FULL, 8, 264, 8) \
    ROW(37, unaligned, CERTIFY_FULL, 8, 264, 8) \
    ROW(38, multiply_add, CERTIFY_FULL, 8, 264, 8) \
    ROW(39, long_multiply, CERTIFY_FULL, 8, 264, 8) \
    ROW(40, long_multiply_wide, CERTIFY_FULL, 8, 264, 8) \
    ROW(41, long_multiply_add, CERTIFY_FULL, 8, 264, 8) \
    ROW(42, special, CERTIFY_FULL, 8, 264, 8) \
    ROW(43, table_branch, CERTIFY_FULL, 8, 264, 8) \
    ROW(44, load_pc, CERTIFY_FULL, 8, 264, 8) \
    ROW(45, interrupt_turn, CERTIFY_FULL, 8, 264, 8) \
    ROW(46, interrupt_tail, CERTIFY_FULL, 8, 264, 8) \
    ROW(47, interrupt_entry, CERTIFY_FULL, 1, 0, 48) \
    ROW(48, interrupt_timer, CERTIFY_FULL, 1, 0, 48) \
    ROW(50, start_crystal, CERTIFY_FULL, 1, 0, 8) \
    ROW(65, narrow, CERTIFY_UNCACHED, 8, 136, 8) \
    ROW(66, wide, CERTIFY_UNCACHED, 8, 136, 8) \
    ROW(67, branch_0, CERTIFY_UNCACHED, 8, 136, 8) \
    ROW(68, branch_6, CERTIFY_UNCACHED, 8, 136, 8) \
    ROW(69, call, CERTIFY_UNCACHED, 8, 136, 8) \
    ROW(70, wake, CERTIFY_FULL, 50, 0, 16)

#endif
