// The drop-in's state of an MPI communicator: whether its collectives are Tutti's. The state is
// an attribute of the communicator, made by its first collective, where all ranks are. To make a
// communicator of Tutti's takes messages, and many programs make one for a call or two: so the
// first calls may be the MPI's, as many as the setting `drop_in_from` says.
//
// Most of those are duplicates. All members duplicate a communicator in the same order, and MPI
// copies the attribute then: the copy gets a number of its own, and needs no messages.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <vector>

#include "collectives/schedule/torus.hpp"
#include "src/news/identifiers.hpp"
#include "tutti/tutti.h"

namespace tutti::drop_in {

struct Communicator {
  // Null: all its collectives are the MPI's, on all ranks, and `why_not` says why.
  tutti_comm tutti = TUTTI_COMM_NULL;
  const char* why_not = nullptr;
  int rank = 0, size = 1;
  int calls_before = 0;         // of the MPI's still to come, before Tutti's
  bool between_groups = false;  // an intercommunicator
  CommunicatorId number = 0;    // in Tutti, if it is a copy; 0: its members vote on it
  Copies copies;                // of this one
  std::shared_ptr<const std::vector<int>> world_ranks;  // the members; null: not known yet
  collectives::Torus torus;                             // on which they have neighbours; see there
  std::vector<MPI_Count> counts;                        // room for the arrays of one call
  std::atomic<int> requests{0};                         // for calls of it that have not ended
  std::atomic<bool> freed{false};                       // by the program
  bool returned_errors = false;                         // if freed while calls are in flight
  Communicator* next_freed = nullptr;
};

struct CommunicatorRules {
  // Called in MPI_Finalize, after the program's own attributes of MPI_COMM_SELF are gone.
  void (*at_end)();
  MPI_Comm world;    // MPI_COMM_WORLD, whose collectives are Tutti's from the first on
  MPI_Comm self;     // MPI_COMM_SELF, whose collectives are the MPI's
  int calls_of_mpi;  // the first ones of each other communicator whose members vote
};
// As long as it lives, this thread duplicates the communicator: a copy of its attribute counts.
class Duplicating {
 public:
  explicit Duplicating(MPI_Comm comm) noexcept;
  ~Duplicating();
  Duplicating(const Duplicating&) = delete;
  Duplicating& operator=(const Duplicating&) = delete;

 private:
  const MPI_Comm outer_;  // a function that copies an attribute may duplicate another one
};

// As long as it lives, this thread frees the communicator: functions of the program's that hear of
// that may still call its collectives, when it has lost attributes already, and MPICH may not be
// asked for any. If members have not decided yet, these calls are the MPI's.
class Freeing {
 public:
  explicit Freeing(MPI_Comm comm) noexcept;
  ~Freeing();
  Freeing(const Freeing&) = delete;
  Freeing& operator=(const Freeing&) = delete;

  // The MPI has reported this error when it was asked for the state.
  int error() const noexcept { return error_; }
  // Null: this thread does not free that one.
  static Freeing* find(MPI_Comm comm) noexcept;
  static bool keeps(const Communicator& state) noexcept;
  Communicator& state() noexcept;

 private:
  const MPI_Comm comm_;
  Freeing* const outer_;  // a function that hears of one may free another
  int error_ = MPI_SUCCESS;
  Communicator* state_;   // null: nobody has used it
  bool is_made_ = false;  // here, and never an attribute
};

// Before the first call. Throws Error{bootstrap_failed}.
void open_communicators(const CommunicatorRules& rules);
// Frees what programs have freed, and at the end all.
void close_communicators() noexcept;

// The rights of a call where members would have to vote on a communicator: one that may not wait
// for the others goes to the MPI; others may, and to `decide` is to vote in the first call already.
enum class May { not_wait, wait, decide };
// The state of a communicator, made if there is none: then the call is collective. Null: MPI has
// reported an error, by the communicator's handler, and `code` is it.
Communicator* find_communicator(MPI_Comm comm, int& code, May may = May::wait) noexcept;

// A communicator of Tutti's with the same members and neighbours, for one persistent collective:
// ranks make those in one order, and may start them in different ones. The caller's. Collective,
// but needs no messages as long as there are numbers for copies. Returns a code of Tutti's.
int make_own(Communicator& state, MPI_Comm comm, tutti_comm& own) noexcept;
// Local, when its calls have ended.
void free_own(tutti_comm own) noexcept;

}  // namespace tutti::drop_in
