// The text of a complaint.
#include "protocols/complaint.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace tutti;
using protocols::Answer;
using protocols::Complaint;

TEST_CASE("a complaint names the peer, until it is replaced or forgotten", "[complaint]") {
  Complaint complaint(17);
  CHECK_FALSE(complaint.made());
  CHECK(complaint.about_exchange(Code::calls_differ, "%lld came, not %lld", 3, 4) ==
        Answer::failed);
  CHECK(complaint.made());
  CHECK(complaint.code() == Code::calls_differ);
  CHECK(complaint.text() == std::string("exchange with rank 17 of MPI_COMM_WORLD: 3 came, not 4"));
  CHECK(complaint.fault() == tutti::Fault::of_peer);
  CHECK(complaint.about_memory(Code::locked_memory, "too much: 100%") == Answer::failed);
  CHECK(complaint.code() == Code::locked_memory);
  CHECK(complaint.text() == std::string("too much: 100%"));
  CHECK(complaint.fault() == tutti::Fault::of_this_rank);
  complaint.forget();
  CHECK_FALSE(complaint.made());
}

TEST_CASE("a text that is too long is cut", "[complaint]") {
  Complaint complaint(17);
  const std::string text(1000, 'x');
  complaint.about_memory(Code::locked_memory, text.c_str());
  CHECK(complaint.text() == std::string(255, 'x'));
  complaint.about_exchange(Code::calls_differ, text.c_str());
  CHECK(std::string(complaint.text()).size() == 255);
}
