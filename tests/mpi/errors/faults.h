/* Mistakes in the arguments of a collective. */
#ifndef TUTTI_TESTS_ERRORS_FAULTS_H
#define TUTTI_TESTS_ERRORS_FAULTS_H

#include "calls.h"

typedef enum {
  ROOT_TOO_HIGH,
  ROOT_NEGATIVE,
  SEND_NULL,
  RECV_NULL,
  SEND_IN_PLACE,
  RECV_IN_PLACE,
  SAME_BUFFER,
  SEND_COUNTS_NULL,
  RECV_COUNTS_NULL,
  SEND_COUNT_NEGATIVE,
  RECV_COUNT_NEGATIVE,
  SEND_COUNT_HUGE,
  RECV_COUNT_HUGE,
  SEND_TYPE_NULL,
  RECV_TYPE_NULL,
  SEND_TYPE_RAW,
  RECV_TYPE_RAW,
  BLOCKS_OVERLAP,
  BLOCKS_BEFORE_BUFFER,
  OTHER_SIZE,
  OP_IS_NULL,
  OP_OF_INTEGERS,
  OP_OF_PAIRS,
  OP_ON_CHARACTERS,
  OP_FOR_WINDOWS,
  FAULTS
} fault;

extern const char* const fault_names[FAULTS];

extern MPI_Datatype raw_type; /* one with gaps, not committed */

/* Makes `a` wrong, and says what the call must give here: a code, or -1 if this fault cannot be
 * made in this collective. */
int spoil(kind k, fault f, arguments* a);

#endif
