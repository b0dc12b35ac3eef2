/*
 * What clang calls for arithmetic the processor has no instruction for (MSP430 EABI, SLAA534 6.3: names; arguments in R12
 * to R15, result from R12 on). Each routine may change R11 to R15 and saves what else it needs.
 */

    .text

/* r12 << r13, r12 >> r13 */
    .globl __mspabi_slli
1:  add r12, r12
    dec r13
__mspabi_slli:
    tst r13
    jne 1b
    ret

    .globl __mspabi_srli
1:  clrc
    rrc r12
    dec r13
__mspabi_srli:
    tst r13
    jne 1b
    ret

    .globl __mspabi_srai
1:  rra r12
    dec r13
__mspabi_srai:
    tst r13
    jne 1b
    ret

/* r13:r12 << r14, r13:r12 >> r14 */
    .globl __mspabi_slll
1:  add r12, r12
    addc r13, r13
    dec r14
__mspabi_slll:
    tst r14
    jne 1b
    ret

    .globl __mspabi_srll
1:  clrc
    rrc r13
    rrc r12
    dec r14
__mspabi_srll:
    tst r14
    jne 1b
    ret

    .globl __mspabi_sral
1:  rra r13
    rrc r12
    dec r14
__mspabi_sral:
    tst r14
    jne 1b
    ret

/* r12 = r12 * r13 */
    .globl __mspabi_mpyi
__mspabi_mpyi:
    mov r12, r14
    mov #0, r12
    jmp 3f
1:  bit #1, r13
    jeq 2f
    add r14, r12
2:  add r14, r14
    clrc
    rrc r13
3:  tst r13
    jne 1b
    ret

/* r13:r12 = r13:r12 * r15:r14 */
    .globl __mspabi_mpyl
__mspabi_mpyl:
    push r10
    push r9
    mov r12, r10
    mov r13, r11
    mov #0, r12
    mov #0, r13
    jmp 3f
1:  bit #1, r14
    jeq 2f
    add r10, r12
    addc r11, r13
2:  add r10, r10
    addc r11, r11
    clrc
    rrc r15
    rrc r14
3:  mov r14, r9
    bis r15, r9                 /* sets no flags */
    tst r9
    jne 1b
    pop r9
    pop r10
    ret

/* r12 = r12 / r13; r12 = r12 % r13 */
    .globl __mspabi_divu
__mspabi_divu:
    mov r13, r14
    mov #0, r13
    mov #0, r15
    jmp __mspabi_divul

    .globl __mspabi_remu
__mspabi_remu:
    mov r13, r14
    mov #0, r13
    mov #0, r15
    jmp __mspabi_remul

/* r13:r12 = r13:r12 / r15:r14 */
    .globl __mspabi_divul
__mspabi_divul:
    push r10
    push r9
    call #divide
    pop r9
    pop r10
    ret

/* r13:r12 = r13:r12 % r15:r14 */
    .globl __mspabi_remul
__mspabi_remul:
    push r10
    push r9
    call #divide
    mov r10, r12
    mov r11, r13
    pop r9
    pop r10
    ret

/* Quotient to r13:r12, remainder to r11:r10, bit by bit; 16 of them when nothing is longer. */
divide:
    mov #0, r10
    mov #0, r11
    mov r13, r9
    bis r15, r9                 /* sets no flags */
    tst r9
    jeq 4f
    mov #32, r9
1:  add r12, r12
    addc r13, r13
    addc r10, r10
    addc r11, r11
    cmp r15, r11
    jlo 3f
    jne 2f
    cmp r14, r10
    jlo 3f
2:  sub r14, r10
    subc r15, r11
    inc r12
3:  dec r9
    jne 1b
    ret
4:  mov #16, r9
5:  add r12, r12
    addc r10, r10
    jc 6f
    cmp r14, r10
    jlo 7f
6:  sub r14, r10
    inc r12
7:  dec r9
    jne 5b
    ret
