// A link names its reason when it no longer trusts a peer, or when the peer has given it up.
#include "transport/link.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace tutti;
using namespace tutti::transport;

namespace {

// A link that sends nothing, and remembers what break_off() was told.
class SilentLink final : public Link {
 public:
  SilentLink() : Link({{{{64, 4}, {320, 2}, {1088, 2}, {64, 2}, {64, 2}}}}, 5) {
    become(State::connecting, State::ready);
  }
  Post put(Ring, std::uint32_t, const void*, const Trailer&) noexcept override {
    return Post::again;
  }
  Post report(Ring, std::uint32_t) noexcept override { return Post::again; }
  Post write(const void*, const Registration&, const RemoteKey&, std::size_t,
             std::optional<std::uint32_t>, std::uint64_t*) noexcept override {
    return Post::again;
  }
  const char* kind() const noexcept override { return "silent"; }
  void probe() noexcept override {}
  bool drained() noexcept override { return true; }
  void break_off(Code code) noexcept override { broken_off.push_back(code); }
  using Link::fail_as_peer_did;
  using Link::note_completed;

  std::vector<Code> broken_off;
};

std::string text_after(Code of_peer, Code mine) {
  SilentLink link;
  link.fail_as_peer_did(of_peer);
  CHECK(link.state().failed());
  CHECK(link.state().code() == mine);
  return link.state().text();
}

}  // namespace

TEST_CASE("a peer that is not trusted fails the link, with what it wrote", "[link]") {
  SilentLink link;
  link.fail_as_corrupt("it has sent %lld of %lld", 7, 3);
  CHECK(link.state().code() == Code::transport_failed);
  CHECK(link.state().text() ==
        std::string("rank 5 of MPI_COMM_WORLD cannot be trusted: it has sent 7 of 3; memory is "
                    "corrupt, or it runs another version of Tutti"));
  CHECK(link.broken_off == std::vector{Code::transport_failed});
  link.fail_as_corrupt("something else");
  CHECK(link.broken_off.size() == 1);  // the first cause stays
  CHECK_THAT(link.state().text(), Catch::Contains("7 of 3"));
}

TEST_CASE("a long reason for a corrupt peer is cut to the size of the text", "[link]") {
  SilentLink link;
  const std::string format(1000, 'x');
  link.fail_as_corrupt(format.c_str());
  CHECK(std::string_view(link.state().text()).size() < LinkState::kTextBytes);
}

TEST_CASE("a link whose other end has failed says what the peer says", "[link]") {
  CHECK_THAT(
      text_after(Code::out_of_memory, Code::out_of_memory),
      Catch::Contains("given up its connection") && Catch::Contains(text_of(Code::out_of_memory)));
  // A peer that takes this rank for dead is alive here: the two have lost each other.
  CHECK_THAT(text_after(Code::peer_failed, Code::transport_failed),
             Catch::Contains("it no longer heard from this rank"));
  // No rank can say this: no failure, or no code.
  CHECK_THAT(text_after(Code::success, Code::transport_failed),
             Catch::Contains("it does not say why"));
  CHECK_THAT(text_after(static_cast<Code>(1234), Code::transport_failed),
             Catch::Contains("it does not say why"));
}

TEST_CASE("the device reads a source until its ticket is complete", "[link]") {
  SilentLink link;
  CHECK(link.reads(1));
  link.note_completed(2);
  CHECK(link.completed() == 2);
  CHECK_FALSE(link.reads(2));
  CHECK(link.reads(3));
  CHECK(link.progress_count() == 2);
}
