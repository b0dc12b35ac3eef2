/*
 * The instruction sequences of the rows, each between two edges of the line. A kernel is called with
 *     r0 the line's BSRR, r1 what raises the line, r2 what lowers it, r3 the number of turns
 * and has in its loop: r4 = r5 = r9 = r12 = 0, r6 32 bytes of RAM, r7 the line's IDR (BSRR - 8: RM0008 9.2, RM0351 8.5).
 * With LINE_IS_OUT r0 is the port's output register, all bits of which are written, and r7 its IN (nRF52840 PS, "GPIO").
 * The loop begins at a given offset from a line of the flash, which has 8 bytes (RM0008 3.3.3, RM0351 3.3.1).
 */
    .syntax unified

#ifdef LINE_IS_OUT
#define POINT_AT_INPUT add r7, r0, #12
#define POINT_AT_OUTPUT mov r7, r0
#define KEEPS r1
#define KEEP_IN_R2 mov r2, r1
#else
#define POINT_AT_INPUT sub r7, r0, #8
#define POINT_AT_OUTPUT subs r7, r0, #4
#define KEEPS r5                    /* 0 in a BSRR changes no pin */
#define KEEP_IN_R2 movs r2, #0
#endif

    .macro kernel name, offset=0
    .section .text.certify_\name, "ax", %progbits
    .balign 8
    .global certify_\name
    .thumb_func
    .type certify_\name, %function
certify_\name:
    push {r3-r11, lr}
    sub sp, #32
    movs r4, #0
    movs r5, #0
    mov r9, r4
    mov r12, r4
    mov r6, sp
    POINT_AT_INPUT
    .set offset_of_loop, \offset
    .endm

    .macro begin                    @ a store of 2 bytes lies before the loop
    .balign 8
    .rept ((offset_of_loop + 6) % 8) / 2
    mov r8, r8
    .endr
    str r1, [r0]
1:
    .endm

    .macro end
    subs r3, #1
    bne 1b
    str r2, [r0]
    add sp, #32
    pop {r3-r11, pc}
    .endm

    .macro straight name, count, instruction:vararg
    kernel \name
    begin
    .rept \count
    \instruction
    .endr
    end
    .endm

    straight narrow, 32, adds r4, #1
    straight wide, 32, add.w r4, r4, #1
    straight store, 16, str KEEPS, [r0]
    straight load, 16, ldr r5, [r7]
    straight load_ram, 16, ldr r5, [r6]
    straight store_ram, 16, str r5, [r6]
    straight store_indexed, 16, str r5, [r6, r4]
    straight load_multiple, 16, ldmia r6, {r8, r10, r11}
    straight unaligned, 16, ldr r5, [r6, #1]
    straight multiply_add, 16, mla r4, r5, r5, r4
    straight long_multiply, 16, umull r10, r11, r9, r12
    straight long_multiply_add, 16, umlal r4, r5, r9, r12
    straight special, 16, mrs r10, primask

    kernel load_alone
    begin
    .rept 16
    ldr r5, [r6]
    adds r4, #1
    .endr
    end

    kernel long_multiply_wide
    ldr r10, =0x12345678
    begin
    .rept 16
    umull r5, r11, r10, r10
    .endr
    end

    .macro branch offset
    kernel branch_\offset, \offset
    begin
    end
    .endm

    branch 0
    branch 2
    branch 4
    branch 6

    .macro modify offset            /* of the output register, which keeps its value */
    kernel modify_\offset, \offset
    POINT_AT_OUTPUT
    begin
    .rept 4
    ldr r5, [r7]
    orrs r5, r4
    str r5, [r7]
    .endr
    end
    .endm

    modify 0
    modify 2
    modify 4
    modify 6

    .macro table at
    tbb [pc, r4]
2:  .byte (3f - 2b) / 2, 0
3:
    .endm

    kernel table_branch
    begin
    .rept 4
    table
    .endr
    end

    kernel load_pc
    ldr r10, =4f                    /* bit 0 of a code address states Thumb */
    orr r10, r10, #1
    str r10, [r6]
    begin
    ldr pc, [r6]
    .balign 4
4:  end

    kernel call                     /* a call, a literal, a branch that is taken and one that is not, memory */
    begin
    bl 5f
    cmp r4, #0
    beq 2f
    adds r4, #1
2:  ldr r5, [r6]
    add.w r5, r5, #3
    str r5, [r6, #4]
    cmp r4, #1
    beq 2b
    end
5:  push {r4, lr}
    ldr r10, =0x2468ACE0
    eor r5, r5, r10
    pop {r4, pc}
    .ltorg

/* r2 lowers the line, or does not; r7 is SysTick's control register, or RAM. */
    .section .text.certify_handlers, "ax", %progbits
    .balign 8
    .global pendsv_handler
    .thumb_func
    .type pendsv_handler, %function
pendsv_handler:
    str r2, [r0]
    bx lr
    .balign 8
    .global systick_handler
    .thumb_func
    .type systick_handler, %function
systick_handler:
    str r2, [r0]
    str r4, [r7]
    bx lr

    .set ICSR, 0xE000ED04           /* PM0056 4.4.3 */
    .set PENDSV, 1 << 28
    .set PENDSYSTICK, 1 << 26
    .set SYSTICK, 0xE000E010        /* PM0056 4.5: control, reload value, current value */

    .macro pend name, bits, turns
    kernel \name
    mov r7, r6
    ldr r10, =ICSR
    mov r11, #\bits
    .if \turns
    mov r8, r2
    KEEP_IN_R2
    .endif
    begin
    str r11, [r10]
    isb
    .rept 4
    mov r12, r12
    .endr
    .if \turns
    subs r3, #1
    bne 1b
    mov r2, r8
    .endif
    str r2, [r0]
    add sp, #32
    pop {r3-r11, pc}
    .ltorg
    .endm

    pend interrupt_entry, PENDSV, 0
    pend interrupt_turn, PENDSV, 1
    pend interrupt_tail, PENDSV | PENDSYSTICK, 1

    .macro timer name, instruction, count
    kernel \name
    ldr r7, =SYSTICK
    movw r10, #499
    str r10, [r7, #4]
    str r4, [r7, #8]
    movs r5, #7
    begin
    str r5, [r7]
    .rept \count
    \instruction
    .endr
    add sp, #32
    pop {r3-r11, pc}
    .ltorg
    .endm

    timer interrupt_timer, "mov r12, r12", 600
    timer interrupt_wake, "wfi", 1

    kernel clock                    /* r3 is what SysTick counts down from */
    ldr r7, =SYSTICK
    str r3, [r7, #4]
    str r4, [r7, #8]
    movs r5, #7
    begin
    str r5, [r7]
#ifdef LINE_IS_OUT                  /* SysTick stands while that processor sleeps: its handler stops it */
2:  ldr r11, [r7]
    cmp r11, #0
    bne 2b
#else
    wfi
#endif
    add sp, #32
    pop {r3-r11, pc}
    .ltorg

    .set DMA1, 0x40020000           /* RM0008 13.4, RM0351 11.6: CCR1 at 8, CNDTR1 at 12 */
    .set MEM2MEM_WORDS, 0x4A01      /* MEM2MEM, MSIZE and PSIZE of 32 bits, EN */

    kernel dma_words                /* of the words that the channel is set up for, until none is left */
    ldr r10, =DMA1
    movw r11, #MEM2MEM_WORDS
    begin
    str r11, [r10, #8]
2:  ldr r5, [r10, #12]
    cmp r5, #0
    bne 2b
    str r2, [r0]
    add sp, #32
    pop {r3-r11, pc}
    .ltorg

/* The two halves of a period run through the same instructions. */
    kernel square
    begin
    movs r5, #200
2:  subs r5, #1
    bne 2b
    mov r10, r1
    mov r1, r2
    mov r2, r10
    str r1, [r0]
    subs r3, #1
    bne 1b
    add sp, #32
    pop {r3-r11, pc}

/* r0 cycles more, up to 15: so that the rows' edges fall on all phases of the analyzer's samples. */
    .section .text.certify_slide, "ax", %progbits
    .balign 8
    .global certify_slide
    .thumb_func
    .type certify_slide, %function
certify_slide:
    adr r1, 1f
    sub r1, r1, r0, lsl #1
    orr r1, r1, #1
    bx r1
    .balign 4
    .rept 16
    mov r8, r8
    .endr
1:  bx lr
