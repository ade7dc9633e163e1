/* The parts of errors_test. Each is called on all ranks; `good` is a communicator that must still
 * work after what is wrong on others. */
#ifndef TUTTI_TESTS_ERRORS_ERRORS_H
#define TUTTI_TESTS_ERRORS_ERRORS_H

#include "calls.h"

void one_wrong_rank(tutti_comm good);
void out_of_memory(tutti_comm good);

void mismatched_sizes(void);
void named_calls(tutti_comm good);
void mismatches(tutti_comm good);
void different_calls(tutti_comm good);
void mismatches_left_to_mpi(tutti_comm good);
void left_alone(tutti_comm good);
void refused_and_freed(tutti_comm good);

#endif
