// Codes and messages, as the C API gives them.
#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "src/api/library.hpp"

namespace tutti {

namespace {

// Nothing that is destroyed: exit handlers run when the objects of their thread are gone, and may
// call Tutti.
constexpr std::size_t kLongest = 2048;
thread_local char t_message[kLongest];
thread_local const char* t_text = "";  // the message, or another one that takes no memory

// Cut off between two characters of UTF-8, if it is too long.
void keep(std::string_view message) noexcept {
  std::size_t length = std::min(message.size(), kLongest - 1);
  const auto continues = [&](std::size_t at) { return (message[at] & 0xC0) == 0x80; };
  while (length < message.size() && length > 0 && continues(length)) --length;
  std::memcpy(t_message, message.data(), length);
  t_message[length] = '\0';
}

static_assert(static_cast<int>(Code::success) == TUTTI_SUCCESS);
static_assert(static_cast<int>(Code::not_initialized) == TUTTI_ERR_NOT_INITIALIZED);
static_assert(static_cast<int>(Code::already_initialized) == TUTTI_ERR_ALREADY_INITIALIZED);
static_assert(static_cast<int>(Code::mpi_not_initialized) == TUTTI_ERR_MPI_NOT_INITIALIZED);
static_assert(static_cast<int>(Code::bad_communicator) == TUTTI_ERR_COMM);
static_assert(static_cast<int>(Code::bad_buffer) == TUTTI_ERR_BUFFER);
static_assert(static_cast<int>(Code::buffers_overlap) == TUTTI_ERR_OVERLAP);
static_assert(static_cast<int>(Code::bad_count) == TUTTI_ERR_COUNT);
static_assert(static_cast<int>(Code::bad_datatype) == TUTTI_ERR_TYPE);
static_assert(static_cast<int>(Code::datatype_not_committed) == TUTTI_ERR_TYPE_NOT_COMMITTED);
static_assert(static_cast<int>(Code::bad_root) == TUTTI_ERR_ROOT);
static_assert(static_cast<int>(Code::size_mismatch) == TUTTI_ERR_SIZE_MISMATCH);
static_assert(static_cast<int>(Code::bad_configuration) == TUTTI_ERR_CONFIGURATION);
static_assert(static_cast<int>(Code::unknown_algorithm) == TUTTI_ERR_UNKNOWN_ALGORITHM);
static_assert(static_cast<int>(Code::algorithm_not_applicable) == TUTTI_ERR_NOT_APPLICABLE);
static_assert(static_cast<int>(Code::no_device) == TUTTI_ERR_NO_DEVICE);
static_assert(static_cast<int>(Code::port_down) == TUTTI_ERR_PORT_DOWN);
static_assert(static_cast<int>(Code::locked_memory) == TUTTI_ERR_LOCKED_MEMORY);
static_assert(static_cast<int>(Code::unreachable) == TUTTI_ERR_UNREACHABLE);
static_assert(static_cast<int>(Code::peer_failed) == TUTTI_ERR_PEER_FAILED);
static_assert(static_cast<int>(Code::transport_failed) == TUTTI_ERR_TRANSPORT);
static_assert(static_cast<int>(Code::out_of_memory) == TUTTI_ERR_NO_MEMORY);
static_assert(static_cast<int>(Code::bootstrap_failed) == TUTTI_ERR_BOOTSTRAP);
static_assert(static_cast<int>(Code::unsupported) == TUTTI_ERR_UNSUPPORTED);
static_assert(static_cast<int>(Code::timed_out) == TUTTI_ERR_TIMEOUT);
static_assert(static_cast<int>(Code::system) == TUTTI_ERR_SYSTEM);
static_assert(static_cast<int>(Code::internal) == TUTTI_ERR_INTERNAL);
static_assert(static_cast<int>(Code::peer_finalized) == TUTTI_ERR_PEER_FINALIZED);
static_assert(static_cast<int>(Code::bad_operation) == TUTTI_ERR_OP);
static_assert(static_cast<int>(Code::bad_displacement) == TUTTI_ERR_DISPLACEMENT);
static_assert(static_cast<int>(Code::operation_failed) == TUTTI_ERR_OP_FAILED);
static_assert(static_cast<int>(Code::calls_differ) == TUTTI_ERR_CALLS_DIFFER);
static_assert(static_cast<int>(Code::bad_request) == TUTTI_ERR_REQUEST);

}  // namespace

int code_of_exception() noexcept {
  const auto remember = [](Code code, const char* message) {
    try {
      keep(in_one_line(message));
      t_text = t_message;
    } catch (const std::bad_alloc&) {
      t_text = text_of(code);
    }
    return static_cast<int>(code);
  };
  try {
    throw;
  } catch (const Error& error) {
    return remember(error.code, error.message.c_str());
  } catch (const std::bad_alloc&) {
    return remember(Code::out_of_memory, kOutOfMemory);
  } catch (const std::exception& error) {
    return remember(Code::internal, error.what());
  } catch (...) {
    return remember(Code::internal, "an unknown exception reached the C boundary");
  }
}

}  // namespace tutti

using namespace tutti;

const char* tutti_last_error_message(void) { return t_text; }

const char* tutti_error_string(int code) {
  const char* const text = text_of(static_cast<Code>(code));
  return text ? text : "not an error code of Tutti";
}
