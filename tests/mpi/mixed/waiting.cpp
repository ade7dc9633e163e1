// Waiting and testing, as each rank likes.
#include "program.hpp"

namespace mixed {

void Program::meet() {
  MPI_Request all;
  MPI_Ibarrier(meeting_, &all);
  for (int here = 0; here == 0;) {
    MPI_Test(&all, &here, MPI_STATUS_IGNORE);
    take_further();
  }
}

void Program::take_further() {
  int ended = 0;
  if (!open_.empty()) {
    std::vector<tutti_request> requests = open_requests();
    int which = 0;
    MUST(tutti_testany(static_cast<int>(requests.size()), requests.data(), &which, &ended));
    take_back(requests);
    return;
  }
  for (const auto& call : kept_) {
    if (!call->active) continue;
    MUST(tutti_test(&call->request, &ended));
    call->active = ended == 0;
    if (ended != 0) look_at(*call);
    return;
  }
}

std::vector<tutti_request> Program::open_requests() const {
  std::vector<tutti_request> requests;
  requests.reserve(open_.size());
  for (const auto& call : open_) requests.push_back(call->request);
  return requests;
}

void Program::wait_for(std::size_t place) {
  end(*open_[place]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(place));
}

void Program::take_back(std::vector<tutti_request>& requests) {
  for (std::size_t i = open_.size(); i-- > 0;) {
    open_[i]->request = requests[i];
    if (requests[i] != TUTTI_REQUEST_NULL) continue;
    look_at(*open_[i]);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Program::complete_some() {
  for (const auto& call : kept_)
    if (call->active && chance(own_, 5)) end(*call);
  if (open_.empty()) return;
  while (open_.size() >= kMostOpen) wait_for(static_cast<std::size_t>(below(own_, kMostOpen)));
  std::vector<tutti_request> requests = open_requests();
  const int count = static_cast<int>(requests.size());
  std::vector<int> places(requests.size());
  int one = 0, some = 0;
  switch (below(own_, 12)) {
    case 0: wait_for(static_cast<std::size_t>(below(own_, count))); return;
    case 1: MUST(tutti_waitall(count, requests.data())); break;
    case 2: MUST(tutti_waitany(count, requests.data(), &one)); break;
    case 3: MUST(tutti_waitsome(count, requests.data(), &some, places.data())); break;
    case 4: MUST(tutti_testall(count, requests.data(), &one)); break;
    case 5: MUST(tutti_testany(count, requests.data(), &one, &some)); break;
    case 6: MUST(tutti_testsome(count, requests.data(), &some, places.data())); break;
    case 7: MUST(tutti_test(&requests.back(), &one)); break;
    default: return;
  }
  take_back(requests);
}

}  // namespace mixed
