/* The code of the entries, in assembler, since it must not know what arguments there are: handles
 * are numbers in one MPI and pointers in another. */
#include "src/drop-in/entries.h"

#ifndef __x86_64__
#error "the entries are written for x86-64"
#endif

/* Until the first call, each slot leads to code that says which slot it is, and fills all of them.
 * MPI functions take no floating-point arguments: six registers hold what must be kept. */
__asm__(
    ".text\n"
    ".type tutti_first_call, @function\n"
    "tutti_first_call:\n"
    "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n"
    "  pushq %r11\n"
    "  call tutti_fill_slots\n"
    "  popq %r11\n"
    "  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n  popq %rsi\n  popq %rdi\n"
    "  jmp *(%r11)\n"
    ".size tutti_first_call, . - tutti_first_call\n");

#define CODE_OF(symbol)                                                  \
  __asm__(                                                               \
      ".data\n.balign 8\n"                                               \
      ".globl tutti_slot_" #symbol "\n.hidden tutti_slot_" #symbol       \
      "\n"                                                               \
      "tutti_slot_" #symbol ": .quad tutti_first_" #symbol               \
      "\n"                                                               \
      ".globl tutti_beneath_" #symbol "\n.hidden tutti_beneath_" #symbol \
      "\n"                                                               \
      "tutti_beneath_" #symbol                                           \
      ": .quad 0\n"                                                      \
      ".globl tutti_calls_" #symbol "\n.hidden tutti_calls_" #symbol     \
      "\n"                                                               \
      "tutti_calls_" #symbol                                             \
      ": .quad 0\n"                                                      \
      ".text\n.balign 16\n"                                              \
      ".globl " #symbol "\n.type " #symbol ", @function\n" #symbol       \
      ":\n  endbr64\n  jmp *tutti_slot_" #symbol                         \
      "(%rip)\n"                                                         \
      ".size " #symbol ", . - " #symbol                                  \
      "\n"                                                               \
      "tutti_first_" #symbol                                             \
      ":\n  endbr64\n"                                                   \
      "  leaq tutti_slot_" #symbol                                       \
      "(%rip), %r11\n  jmp tutti_first_call\n"                           \
      ".globl tutti_counted_" #symbol "\n.hidden tutti_counted_" #symbol \
      "\n"                                                               \
      "tutti_counted_" #symbol                                           \
      ":\n  endbr64\n"                                                   \
      "  lock incq tutti_calls_" #symbol                                 \
      "(%rip)\n"                                                         \
      "  jmp *tutti_beneath_" #symbol "(%rip)\n");                       \
  extern tutti_function tutti_slot_##symbol, tutti_beneath_##symbol;     \
  extern unsigned long long tutti_calls_##symbol;                        \
  void tutti_counted_##symbol(void);
#define CODE(symbol) CODE_OF(symbol)
#define BOTH_CODES(name) CODE(MPI_##name) CODE(PMPI_##name)

#pragma GCC visibility push(hidden)
TUTTI_REPLACED(BOTH_CODES)
TUTTI_PLAIN(BOTH_CODES)
TUTTI_PASSED(BOTH_CODES)
BOTH_CODES(Init)
BOTH_CODES(Init_thread)
#pragma GCC visibility pop

#define ROW_OF(symbol)                                                            \
  {#symbol, &tutti_slot_##symbol, &tutti_beneath_##symbol, &tutti_calls_##symbol, \
   tutti_counted_##symbol},
#define ROW(symbol) ROW_OF(symbol)
#define BOTH_ROWS(name) ROW(MPI_##name) ROW(PMPI_##name)

const struct tutti_entry tutti_entries[] = {TUTTI_REPLACED(BOTH_ROWS) TUTTI_PLAIN(
    BOTH_ROWS) TUTTI_PASSED(BOTH_ROWS) BOTH_ROWS(Init) BOTH_ROWS(Init_thread)};
const int tutti_number_of_entries = sizeof tutti_entries / sizeof tutti_entries[0];
