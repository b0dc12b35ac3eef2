/* Reset of the MSP430F1611 for the stand-in: no interrupts. */
    .text
    .globl reset_handler
reset_handler:
    mov #0x5A80, &0x0120        /* WDTCTL: the watchdog is on after reset (SLAU049F 10.2.1) */
    mov #stack_top, r1
    mov #data_start, r12
    mov #data_load, r13
1:  cmp #data_end, r12
    jhs 2f
    mov @r13+, r14
    mov r14, 0(r12)
    incd r12
    jmp 1b
2:  mov #bss_start, r12
3:  cmp #bss_end, r12
    jhs 4f
    mov #0, 0(r12)
    incd r12
    jmp 3b
4:  call #main
5:  jmp 5b

    .section .vectors, "a"
    .fill 15, 2, 0              /* from 0xFFE0 */
    .word reset_handler         /* 0xFFFE */
