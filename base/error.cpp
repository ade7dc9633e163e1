// One line for each error code, as tutti_error_string() returns it.
#include "base/error.hpp"

namespace tutti {

const char* text_of(Code code) noexcept {
  switch (code) {
    case Code::success: return "success";
    case Code::not_initialized: return "tutti_init was not called, or tutti_finalize was";
    case Code::already_initialized: return "tutti_init was called before";
    case Code::mpi_not_initialized: return "MPI_Init was not called, or MPI_Finalize was";
    case Code::bad_communicator: return "the communicator is null, freed or of the wrong kind";
    case Code::bad_buffer:
      return "a buffer cannot be used (null, or memory of a GPU), or MPI_IN_PLACE is not allowed "
             "there";
    case Code::buffers_overlap: return "send and receive buffer overlap";
    case Code::bad_count: return "a count is negative or too large";
    case Code::bad_datatype: return "a datatype is null or invalid";
    case Code::datatype_not_committed: return "a datatype is not committed";
    case Code::bad_root: return "the root is not a rank of the communicator";
    case Code::size_mismatch: return "a block is sent with another size than it is received";
    case Code::bad_configuration: return "a configuration value or file cannot be used";
    case Code::unknown_algorithm: return "there is no algorithm of that name";
    case Code::algorithm_not_applicable: return "the forced algorithm cannot run this call";
    case Code::no_device: return "there is no RDMA device, or not the one asked for";
    case Code::port_down: return "the device's port is not active";
    case Code::locked_memory: return "the limit on locked memory is too low";
    case Code::unreachable: return "a peer's address does not answer";
    case Code::peer_failed: return "a peer has failed";
    case Code::transport_failed: return "the device or the link to a peer has failed";
    case Code::out_of_memory: return "memory or shared memory is exhausted";
    case Code::bootstrap_failed: return "MPI or another rank failed while Tutti started";
    case Code::unsupported: return "Tutti cannot do that";
    case Code::timed_out: return "the time limit on waiting has passed";
    case Code::system: return "a system call failed";
    case Code::internal: return "a bug in Tutti; please report it";
    case Code::peer_finalized: return "a peer has called tutti_finalize";
    case Code::bad_operation: return "the operation is not defined on the datatype";
    case Code::bad_displacement: return "blocks of the receive buffer overlap";
    case Code::operation_failed: return "a user-defined operation failed";
    case Code::calls_differ: return "ranks make different calls, or pass different sizes or roots";
    case Code::bad_request:
      return "a request is null, was freed, or is active where it must not be";
  }
  return nullptr;
}

[[noreturn]] void bad_configuration(std::string message) {
  throw Error(Code::bad_configuration, std::move(message));
}

}  // namespace tutti
