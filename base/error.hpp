// The one exception of Tutti, and the codes it carries.
// Set-up code throws it; the data path returns answers instead; `guard()` in src/ turns it into a C
// code.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace tutti {

// One value per TUTTI_ERR_* of <tutti/tutti.h>, with the same numbers: src/api/errors.cpp does not
// compile if they differ.
enum class Code : int {
  success = 0,
  not_initialized = 1,
  already_initialized = 2,
  mpi_not_initialized = 3,
  bad_communicator = 4,
  bad_buffer = 5,
  buffers_overlap = 6,
  bad_count = 7,
  bad_datatype = 8,
  datatype_not_committed = 9,
  bad_root = 10,
  size_mismatch = 11,
  bad_configuration = 12,
  unknown_algorithm = 13,
  algorithm_not_applicable = 14,
  no_device = 15,
  port_down = 16,
  locked_memory = 17,
  unreachable = 18,
  peer_failed = 19,
  transport_failed = 20,
  out_of_memory = 21,
  bootstrap_failed = 22,
  unsupported = 23,
  timed_out = 24,
  system = 25,
  internal = 26,
  peer_finalized = 27,
  bad_operation = 28,
  bad_displacement = 29,
  operation_failed = 30,
  calls_differ = 31,
  bad_request = 32,
};

// The meaning of a code, in a few words; null: there is no such code.
const char* text_of(Code code) noexcept;

inline constexpr int kNoPeer = -1;

// At which rank the cause of a failure between two lies: that this one lacks memory says nothing of
// the peer.
enum class Fault : bool { of_peer, of_this_rank };

struct Error : std::exception {
  Code code;
  int peer;             // world rank of the peer it is about, or kNoPeer
  int system_errno;     // 0: none
  std::string message;  // a sentence on what happened, one on what to do

  Error(Code c, std::string what_happened, int about_peer = kNoPeer, int error_number = 0)
      : code(c), peer(about_peer), system_errno(error_number), message(std::move(what_happened)) {}
  const char* what() const noexcept override { return message.c_str(); }
};

// Throws Error{bad_configuration}: a user's setting, option or file is wrong.
[[noreturn]] void bad_configuration(std::string message);

}  // namespace tutti
