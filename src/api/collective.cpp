// A call that has not started: its members hear of it, and its message says which call it was.
#include "src/api/collective.hpp"

#include <new>

#include "src/news/call_words.hpp"

namespace tutti {

void rethrow(Request& request, const Arguments& arguments) {
  Communicator& comm = request.communicator();
  const bool has_started = request.state() != Request::State::idle;
  // The error of a communicator that has failed is no news, and names the call that has failed.
  const bool is_new = !has_started && !comm.agreement().failed();
  try {
    throw;
  } catch (Error& error) {
    if (is_new) error.message = in_next_call(comm.agreement(), name_of(arguments), error.message);
    if (!has_started) comm.refuse(error.code, error.message);
    throw;
  } catch (const std::bad_alloc&) {
    if (!has_started) comm.refuse(Code::out_of_memory, kOutOfMemory);
    throw;
  } catch (...) {
    if (!has_started) comm.refuse(Code::internal);
    throw;
  }
}

}  // namespace tutti
