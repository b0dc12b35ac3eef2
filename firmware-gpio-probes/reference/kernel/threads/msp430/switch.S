/* The switch, and the way into a thread. Registers: MSP430 EABI, SLAA534 3.1. */

    .text

/* void *thread_prepare(void *top, void (*entry)(void *), void *argument): a frame as on_port2 leaves one. */
    .globl thread_prepare
thread_prepare:
    mov r13, -2(r12)            /* PC */
    mov #8, -4(r12)             /* SR: GIE */
    mov r14, -12(r12)           /* R12, the argument, behind R15, R14 and R13 */
    sub #28, r12
    ret

/* void thread_start(void (*idle)(void)): idle goes on where main was. */
    .globl thread_start
thread_start:
    bis.b #0x20, &0x2D          /* P2IE: SLAS368 */
    br r12

/* Until now none of the registers but SP has been saved. The flag is taken back first: a request from now on counts. */
    .globl on_port2
on_port2:
    bic.b #0x20, &0x2B
    push r15
    push r14
    push r13
    push r12
    push r11
    push r10
    push r9
    push r8
    push r7
    push r6
    push r5
    push r4
    mov r1, r12
    mov #stack_top, r1
    call #kernel_switch
    mov r12, r1
    pop r4
    pop r5
    pop r6
    pop r7
    pop r8
    pop r9
    pop r10
    pop r11
    pop r12
    pop r13
    pop r14
    pop r15
    reti
