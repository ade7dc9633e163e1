/* The parts of datatypes_test, and the types and buffers that they share. Each part is called on
 * all ranks. */
#ifndef TUTTI_TESTS_DATATYPES_DATATYPES_H
#define TUTTI_TESTS_DATATYPES_DATATYPES_H

#include "job.h"

enum { kMost = 16, kTypes = 12 };
enum { kBefore = 4096, kLongest = 96 /* extent of an element */ };

/* Each type has 24 bytes of data in an element. */
extern MPI_Datatype made[kTypes];
extern int types;
/* The buffers, from kBefore on: what is sent, and what Tutti and the MPI have received. */
extern unsigned char *outgoing, *ours, *theirs;
extern int count, bytes;

/* Frees the type. */
MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent);

/* All buffers get new values. */
void fill(int round);
/* Both have received the same, gaps included. `a` and `b`: the types on either side. */
void compare(const char* call, int a, int b);

unsigned mixed(unsigned a, unsigned b, unsigned c);
/* Blocks of random counts at random places: of one type, and of a type each. */
void v_forms(tutti_comm comm, int a, int b, unsigned seed);
void w_forms(tutti_comm comm, unsigned seed);
void w_form_of_freed_types(tutti_comm comm);

/* Parts of matrices. */
void between(tutti_comm comm);
void transpose(tutti_comm comm);
void halo(tutti_comm comm);

#endif
