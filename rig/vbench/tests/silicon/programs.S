/* Instruction sequences whose cycles others measured on silicon (points.toml), to be run on the virtual boards.
 *
 * One image contains one sequence: PROGRAM is its name, OFFSET the place of its first instruction modulo 8, ACR what goes
 * into FLASH_ACR. It runs twice, 100 and 300 passes, between changes of PA3: the difference of the two times is that of 200
 * passes, whatever surrounds them. Of a sequence that changes the pin itself the edges are measured.
 *
 * The sequences of ciphers have the widths, the order and the registers' dependencies of the code that was measured, from
 * its published listing, and none of its purpose.
 */
#define subs_bne 1
#define eors_str_b 2
#define eorw_str_b 3
#define str_str_b 4
#define str_str 5
#define sev_nop 6
#define cipher_loop 7
#define cipher_rounds 8
#define key_word 9
#define key_call 10
#define empty_call 11
#define subsw_bnew 12
#define store_imm 13
#define store_reg 14
#define store_load 15
#define load_only 16
#define str_sub_str_bgt 17
#define band_sub_band_bgt 18

.syntax unified
.cpu cortex-m3
.thumb

.section .vectors, "a"
.word 0x20004000, reset + 1

.text
.global reset
.thumb_func
reset:
    ldr r0, =0x40021018 /* RCC_APB2ENR: GPIOA */
    ldr r1, =4
    str r1, [r0]
    ldr r0, =0x40010800 /* GPIOA_CRL: PA3 an output */
    ldr r1, =0x44443444
    str r1, [r0]
    ldr r0, =0x40022000 /* FLASH_ACR */
    ldr r1, =ACR
    str r1, [r0]
#ifdef IN_RAM
    ldr r0, =sequence_start
    ldr r1, =0x20000100
    ldr r2, =sequence_end
1:  ldrh r3, [r0], #2
    strh r3, [r1], #2
    cmp r0, r2
    blo 1b
#endif
    movs r0, #100
    bl timed
    movw r0, #300
    bl timed
    b .

/* Runs r0 passes between two changes of the pin. */
.thumb_func
timed:
    push {r4-r11, lr}
    ldr r5, =0x4001080c /* GPIOA_ODR */
    ldr r6, =0x20001000
    ldr r7, =0x20002000
    movs r1, #8
    movs r2, #0
    movs r3, #0
    movs r8, #0
    ldr r4, [r5]
    eor r4, r4, #8
    str r4, [r5]
    dsb
#ifdef IN_RAM
    ldr r12, =0x20000101
    blx r12
#else
    bl sequence
#endif
    dsb
    ldr r5, =0x4001080c /* GPIOA_ODR */
    ldr r4, [r5]
    eor r4, r4, #8
    str r4, [r5]
    dsb
    pop {r4-r11, pc}
.ltorg

/* The sequences: r0 passes, r1 8, r2, r3, r8 0, r5 the output register, r6 a table of zeros, r7 an array. */
.macro alu16 count
.rept \count
    movs r3, r2
.endr
.endm
.macro alu32 count
.rept \count
    uxtb.w r3, r2, ror #8
.endr
.endm
.macro load32 count
.rept \count
    ldr.w r4, [r6, r8, lsl #2]
.endr
.endm
.macro cipher_round
    alu16 2
    alu32 3
    alu16 2
    load32 7
    alu32 5
    alu16 2
    alu32 5
    alu16 2
    load32 9
    alu32 7
    ldmia.w r12!, {r2, r3, r9, r10}
    alu16 4
.endm
/* The loop starts at OFFSET modulo 8. */
.macro place
    .balign 8
.rept OFFSET / 2
    nop
.endr
.endm
.macro again
    subs r0, #1
    bne.n 1b
    bx lr
.endm

.balign 8
sequence_start:
.thumb_func
sequence:
.if PROGRAM == subs_bne
    place
1:  again
.elseif PROGRAM == eors_str_b
    place
1:  eors r2, r1
    str r2, [r5]
    b 1b
.elseif PROGRAM == eorw_str_b
    place
1:  eor.w r2, r2, #8
    str r2, [r5]
    b 1b
.elseif PROGRAM == str_str_b
    place
1:  str r1, [r5]
    str r2, [r5]
    b 1b
.elseif PROGRAM == str_str
    place
1:
.rept 200
    str r1, [r5]
    str r2, [r5]
.endr
    b 1b
.elseif PROGRAM == sev_nop    /* 512 instructions */
    place
1:
.rept 256
    sev
    nop
.endr
    subs r0, #1
    bne.w 1b
    bx lr
.elseif PROGRAM == cipher_loop
    mov r12, r7
    place
1:  cipher_round
    again
.elseif PROGRAM == cipher_rounds    /* ROUNDS of them without a branch */
    place
1:  mov r12, r7
.rept ROUNDS
    cipher_round
.endr
    subs r0, #1
    bne.w 1b
    bx lr
.elseif PROGRAM == key_word
    movw r12, #4096
    add r12, r7
    place
1:  ldr r2, [r12, #-4]!
    uxtb.w r3, r2, ror #8
    uxtb r4, r2
    lsrs r4, r2, #24
    uxtb.w r3, r2, ror #16
    load32 8
    subs r0, #1
    eor.w r2, r2, r3, ror #16
    eor.w r2, r2, r3, ror #8
    eor.w r2, r2, r3, ror #24
    str r2, [r12]
    bne.n 1b
    bx lr
.elseif PROGRAM == key_call   /* 10 passes in a subroutine */
    push {r4, lr}
    b 3f
    place
2:  push.w {r4-r8, lr}
    movw r14, #0x1000
    movt r14, #0x2000
    ldmia.w r7, {r2-r5}
    mov.w r1, #0x01000000
    stmia.w r7!, {r2-r5}
1:  uxtb.w r6, r8, ror #8
    uxtb.w r6, r8, ror #16
    uxtb.w r6, r8, ror #24
    uxtb.w r12, r8
.rept 4
    ldrb.w r6, [r14, r8, lsl #2]
.endr
    eor.w r2, r2, r1, lsr #24
    eors r2, r6
    eor.w r2, r2, r6, lsl #8
    eor.w r2, r2, r6, lsl #16
    eor.w r2, r2, r6, lsl #24
    eors r3, r2
    eors r4, r3
    eors r5, r4
    lsls r1, #1
    it cs
    movcs.w r1, #0x1b000000
    cmp.w r1, #0x6c000000
    stmia r7!, {r2-r5}
    bne.n 1b
    pop.w {r4-r8, pc}
.balign 8
3:  bl 2b
    subs r0, #1
    bne.n 3b
    pop {r4, pc}
.elseif PROGRAM == empty_call
    push {r4, lr}
    b 3f
.balign 8
2:  bx lr
.balign 8
3:  bl 2b
    subs r0, #1
    bne.n 3b
    pop {r4, pc}
.elseif PROGRAM == subsw_bnew   /* with 10 instructions between them */
    place
1:  subs.w r0, r0, #1
.rept 10
    nop.w
.endr
    bne.w 1b
    bx lr
.elseif PROGRAM == store_imm   /* 100 of them */
    place
1:
.rept 100
    str.w r2, [r6, #4]
.endr
    subs.w r0, r0, #1
    bne.w 1b
    bx lr
.elseif PROGRAM == store_reg   /* 100 of them */
    place
1:
.rept 100
    str.w r2, [r6, r8]
.endr
    subs.w r0, r0, #1
    bne.w 1b
    bx lr
.elseif PROGRAM == store_load   /* 100 pairs */
    place
1:
.rept 100
    str.w r2, [r6, #4]
    ldr.w r3, [r6, #8]
    alu32 1
.endr
    subs.w r0, r0, #1
    bne.w 1b
    bx lr
.elseif PROGRAM == load_only   /* as store_load without the store */
    place
1:
.rept 100
    ldr.w r3, [r6, #8]
    alu32 1
.endr
    subs.w r0, r0, #1
    bne.w 1b
    bx lr
.elseif PROGRAM == str_sub_str_bgt
    place
1:  str r1, [r5]
    subs r0, #1
    str r2, [r5]
    bgt.n 1b
    bx lr
.elseif PROGRAM == band_sub_band_bgt   /* the same through the bit band */
    ldr r5, =0x4221018c /* PA3 in GPIOA_ODR */
    movs r1, #1
    place
1:  str r1, [r5]
    subs r0, #1
    str r2, [r5]
    bgt.n 1b
    bx lr
.endif
.ltorg
sequence_end:
