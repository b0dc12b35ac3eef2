/* Vector table (SLAS368, interrupt vector addresses), what runs before main, and the way into the handlers. */

/* The stack of the interrupts, which do not nest, lies above main's where threads have stacks of their own. */
#ifdef KERNEL_threads
#define INTERRUPT_STACK_BYTES 192
#else
#define INTERRUPT_STACK_BYTES 0
#endif

    .text
    .globl reset_handler
reset_handler:
    mov #0x5A80, &0x0120        /* WDTCTL: the watchdog is on after reset (SLAU049F 10.2.1) */
    mov #stack_top - INTERRUPT_STACK_BYTES, r1
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
    /* main does not return */

/* Anything unexpected. */
unexpected:
    mov #what, r12
    mov #who, r13
    call #fault
    .section .rodata, "a"
what:
    .asciz "exception"
who:
    .asciz "unexpected"
    .text

/* The registers that a function may change, the handler, and no sleep after it: SR lies on top of the stack again. */
.macro handler name, function
\name:
    push r15
    push r14
    push r13
    push r12
    push r11
#ifdef KERNEL_threads
    mov r1, &interrupted
    mov #stack_top, r1
    call #\function
    mov &interrupted, r1
#else
    call #\function
#endif
    pop r11
    pop r12
    pop r13
    pop r14
    pop r15
    bic #0x00F0, 0(r1)          /* SCG1, SCG0, OSCOFF, CPUOFF (SLAU049F 3.2.3) */
    reti
.endm

    handler on_port1, port1_handler
    handler on_timer_b0, timer_b0_handler
    handler on_timer_b1, timer_b1_handler
    handler on_usart1_rx, usart1_rx_handler
    handler on_usart1_tx, usart1_tx_handler

/* kernel/threads has one. */
    .weak on_port2
on_port2 = unexpected
/* certify has one. */
    .weak on_timer_a0
on_timer_a0 = unexpected

#ifdef KERNEL_threads
    .section .bss.interrupted, "aw", @nobits
    .balign 2
interrupted:                    /* the stack pointer of the thread */
    .skip 2
#endif

    .section .vectors, "a"
    .word unexpected            /* 0xFFE0 DAC12, DMA */
    .word on_port2              /* 0xFFE2 port 2 */
    .word on_usart1_tx          /* 0xFFE4 */
    .word on_usart1_rx          /* 0xFFE6 */
    .word on_port1              /* 0xFFE8 */
    .word unexpected            /* 0xFFEA Timer_A3, CCR1, CCR2, overflow */
    .word on_timer_a0           /* 0xFFEC Timer_A3, CCR0 */
    .word unexpected            /* 0xFFEE ADC12 */
    .word unexpected            /* 0xFFF0 USART0 transmit, I2C */
    .word unexpected            /* 0xFFF2 USART0 receive */
    .word unexpected            /* 0xFFF4 watchdog timer */
    .word unexpected            /* 0xFFF6 comparator */
    .word on_timer_b1           /* 0xFFF8 Timer_B7, CCR1 to CCR6, overflow */
    .word on_timer_b0           /* 0xFFFA Timer_B7, CCR0 */
    .word unexpected            /* 0xFFFC NMI, oscillator fault, flash access violation */
    .word reset_handler         /* 0xFFFE */
