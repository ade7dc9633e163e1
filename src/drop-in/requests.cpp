// MPI's functions on requests. As long as no call of Tutti's is in flight, these functions are
// the MPI's; else they ask it again and again, and take Tutti's calls further in between: a rank
// that waited in the MPI would keep its word for the progress thread only where there is one.
#include <memory>
#include <new>

#include "src/drop-in/call_in_flight.hpp"
#include "src/drop-in/in_flight.hpp"
#include "src/drop-in/operations.hpp"
#include "src/drop-in/persistent.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

std::span<const MPI_Request> span_of(int count, const MPI_Request* requests) noexcept {
  return {requests, static_cast<std::size_t>(count)};
}
// Else the MPI says what is wrong.
bool is_ours(int count, const MPI_Request* requests) noexcept {
  return any_in_flight() && count > 0 && requests;
}

// Statuses for MPI_Testall where the program wants none: of more than 64 requests MPICH 4.0 takes
// all for messages then, if the last ones are, and ends the program.
class Statuses {
 public:
  Statuses(int count, MPI_Status* wanted) noexcept : statuses_(wanted) {
    if (wanted != MPI_STATUSES_IGNORE) return;
    own_.reset(new (std::nothrow) MPI_Status[static_cast<std::size_t>(count)]);
    if (own_) statuses_ = own_.get();
  }
  MPI_Status* get() const noexcept { return statuses_; }

 private:
  MPI_Status* statuses_;
  std::unique_ptr<MPI_Status[]> own_;
};

// `ask()` calls a testing function of the MPI's; `flag` is what it says.
template <class Ask>
int ask_until(Awaiting& awaiting, bool all, const int& flag, Ask&& ask) {
  int code = MPI_SUCCESS;
  do {
    awaiting.pause(all);
    code = ask();
  } while (code == MPI_SUCCESS && !flag);
  return code;
}

int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) noexcept {
  if (!is_ours(count, requests)) return PMPI_Waitall(count, requests, statuses);
  Awaiting awaiting(span_of(count, requests));
  const Statuses all(count, statuses);
  int flag = 0;
  const int code = ask_until(awaiting, true, flag,
                             [&] { return PMPI_Testall(count, requests, &flag, all.get()); });
  return awaiting.told_of_some(code, flag ? count : 0, nullptr, statuses);
}

int wait_any(int count, MPI_Request requests[], int* index, MPI_Status* status) noexcept {
  if (!is_ours(count, requests) || !index) return PMPI_Waitany(count, requests, index, status);
  Awaiting awaiting(span_of(count, requests));
  int flag = 0;
  const int code = ask_until(awaiting, false, flag,
                             [&] { return PMPI_Testany(count, requests, index, &flag, status); });
  return awaiting.told_of_one(code, flag ? *index : -1);
}

int wait_some(int count, MPI_Request requests[], int* completed, int indices[],
              MPI_Status statuses[]) noexcept {
  if (!is_ours(count, requests) || !completed)
    return PMPI_Waitsome(count, requests, completed, indices, statuses);
  Awaiting awaiting(span_of(count, requests));
  *completed = 0;
  const int code = ask_until(awaiting, false, *completed, [&] {
    return PMPI_Testsome(count, requests, completed, indices, statuses);
  });
  return awaiting.told_of_some(code, *completed, indices, statuses);
}

int test(MPI_Request* request, int* flag, MPI_Status* status) noexcept {
  if (!is_ours(1, request) || !flag) return PMPI_Test(request, flag, status);
  Awaiting awaiting({request, 1});
  awaiting.look();
  const int code = PMPI_Test(request, flag, status);
  return awaiting.told_of_one(code, *flag ? 0 : -1);
}

int test_all(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) noexcept {
  if (!is_ours(count, requests) || !flag) return PMPI_Testall(count, requests, flag, statuses);
  Awaiting awaiting(span_of(count, requests));
  awaiting.look();
  const Statuses all(count, statuses);
  const int code = PMPI_Testall(count, requests, flag, all.get());
  return awaiting.told_of_some(code, *flag ? count : 0, nullptr, statuses);
}

int test_any(int count, MPI_Request requests[], int* index, int* flag,
             MPI_Status* status) noexcept {
  if (!is_ours(count, requests) || !index || !flag)
    return PMPI_Testany(count, requests, index, flag, status);
  Awaiting awaiting(span_of(count, requests));
  awaiting.look();
  const int code = PMPI_Testany(count, requests, index, flag, status);
  return awaiting.told_of_one(code, *flag ? *index : -1);
}

int test_some(int count, MPI_Request requests[], int* completed, int indices[],
              MPI_Status statuses[]) noexcept {
  if (!is_ours(count, requests) || !completed)
    return PMPI_Testsome(count, requests, completed, indices, statuses);
  Awaiting awaiting(span_of(count, requests));
  awaiting.look();
  const int code = PMPI_Testsome(count, requests, completed, indices, statuses);
  return awaiting.told_of_some(code, *completed, indices, statuses);
}

int get_status(MPI_Request request, int* flag, MPI_Status* status) noexcept {
  if (any_in_flight()) Awaiting({&request, 1}).look();
  return PMPI_Request_get_status(request, flag, status);
}

// A call that has failed already is told of here.
int free_request(MPI_Request* request) noexcept {
  int code = MPI_SUCCESS;
  if (free_persistent(request, code)) return code;
  if (!is_ours(1, request)) return PMPI_Request_free(request);
  const MPI_Request handle = *request;
  release_request(handle);
  const int code_of_mpi = PMPI_Request_free(request);
  tell_failed(handle);
  return code_of_mpi;
}

}  // namespace

int wait_for(MPI_Request* request, MPI_Status* status) {
  if (!is_ours(1, request)) return PMPI_Wait(request, status);
  Awaiting awaiting({request, 1});
  int flag = 0;
  const int code =
      ask_until(awaiting, true, flag, [&] { return PMPI_Test(request, &flag, status); });
  return awaiting.told_of_one(code, flag ? 0 : -1);
}

void add_requests(tutti_function functions[TUTTI_CALLS]) {
  TUTTI_PUT(Op_free, free_operation);
  TUTTI_PUT(Request_free, free_request);
  TUTTI_PUT(Request_get_status, get_status);
  TUTTI_PUT(Start, start_request);
  TUTTI_PUT(Startall, start_requests);
  TUTTI_PUT(Test, test);
  TUTTI_PUT(Testall, test_all);
  TUTTI_PUT(Testany, test_any);
  TUTTI_PUT(Testsome, test_some);
  TUTTI_PUT(Wait, wait_for);
  TUTTI_PUT(Waitall, wait_all);
  TUTTI_PUT(Waitany, wait_any);
  TUTTI_PUT(Waitsome, wait_some);
}

}  // namespace tutti::drop_in
