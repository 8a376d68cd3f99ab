// Where muster-krb5 begins: hands main() to the C library in the form of every glibc since 2.2. The
// start file of a newer glibc would ask for a newer __libc_start_main.
    .section .text
    .globl _start
    .type _start, %function
#if defined(__x86_64__)
_start:
    xorl %ebp, %ebp
    movq %rdx, %r9
    popq %rsi
    movq %rsp, %rdx
    andq $-16, %rsp
    pushq %rax
    pushq %rsp
    xorl %r8d, %r8d
    xorl %ecx, %ecx
    leaq main(%rip), %rdi
    callq *__libc_start_main@GOTPCREL(%rip)
    hlt
#elif defined(__aarch64__)
_start:
    mov x29, #0
    mov x30, #0
    mov x5, x0
    ldr x1, [sp]
    add x2, sp, #8
    mov x6, sp
    adrp x0, main
    add x0, x0, :lo12:main
    mov x3, #0
    mov x4, #0
    bl __libc_start_main
    brk #1
#else
#error "muster-krb5 knows no start code for this processor"
#endif
    .size _start, . - _start
    .section .note.GNU-stack, "", %progbits
