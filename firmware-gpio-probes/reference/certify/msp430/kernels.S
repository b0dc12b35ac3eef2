/*
 * The instruction sequences of the rows, each between two edges of the strobe, P6.6: P6OUT is 0x35 and P6IN 0x34 (SLAS368,
 * peripheral file map). A kernel is called with the number of turns in r12.
 */
#define LINE 0x40
#define TACCTL0 0x0162
#define TAR 0x0170
#define TACCR0 0x0172
#define CCIE 0x0010
#define CCIFG 0x0001

    .macro kernel name
    .section .text.certify_\name, "ax", @progbits
    .balign 2
    .globl certify_\name\()_pulse
certify_\name\()_pulse:
    mov #0, r13
    .endm

    .macro begin
    bis.b #LINE, &0x35
    .endm

    .macro end
    sub #1, r12
    jnz 1b
    bic.b #LINE, &0x35
    ret
    .endm

    kernel clock                /* 4000 cycles a turn: 2 + 1331 * 3 + 2 + 3 (SLAU049F 3.4.4) */
    begin
1:  mov #1331, r14
2:  sub #1, r14
    jnz 2b
    nop
    nop
    end

    kernel narrow
    begin
1:  .rept 16
    mov r14, r14
    .endr
    end

    kernel branch_0
    begin
1:  end

    kernel store
    begin
    mov.b &0x35, r14            /* the pins keep their levels */
1:  .rept 16
    mov.b r14, &0x35
    .endr
    end

    kernel load
    begin
1:  .rept 16
    mov.b &0x34, r14
    .endr
    end

    kernel modify_0
    begin
1:  .rept 8
    bis.b r13, &0x35
    .endr
    end

    kernel call
    begin
1:  call #2f
    push r14
    pop r14
    end
2:  ret

/* The interrupt comes after the instruction that follows (SLAU049F 2.2.3); r13 is what the handler lowers: nothing. */
    kernel interrupt_turn
    begin
1:  mov #CCIE + CCIFG, &TACCTL0
    nop
    nop
    sub #1, r12
    jnz 1b
    mov #0, &TACCTL0
    bic.b #LINE, &0x35
    ret

/* From an edge of ACLK / 8 to the next, asleep meanwhile: what is more than the period is how long waking takes. */
    .macro asleep name, bits
    kernel \name
    mov #LINE, r13
    mov &TAR, r14
1:  cmp &TAR, r14
    jeq 1b
    mov &TAR, r14
    add #1, r14
    mov r14, &TACCR0
    begin
    mov #CCIE, &TACCTL0
    bis #\bits, r2
    nop
    mov #0, &TACCTL0
    ret
    .endm

    asleep wake_light, 0x18     /* LPM0: GIE, CPUOFF */
    asleep wake_deep, 0xD8      /* LPM3: SCG1, SCG0 too (SLAU049F 2.3) */

/* Periods of ACLK / 8, from edge to edge. */
    kernel crystal
    mov &TAR, r14
1:  cmp &TAR, r14
    jeq 1b
    add &TAR, r12
    begin
2:  cmp &TAR, r12
    jne 2b
    bic.b #LINE, &0x35
    ret

    .text
    .globl on_timer_a0
on_timer_a0:
    bic.b r13, &0x35
    bic #0x00F0, 0(r1)          /* no sleep after it (SLAU049F 3.2.3) */
    reti
