// Two ends of a link over verbs, connected over fake devices.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "tests/transport/verbs/ends.hpp"

namespace tutti::tests {

// Devices that differ from the usual ones before anybody opens them.
struct PreparedVerbs : FakeVerbs {
  PreparedVerbs(std::size_t rails, const std::function<void(FakeVerbs&)>& prepare)
      : FakeVerbs(rail_names(rails)) {
    if (prepare) prepare(*this);
  }
};

struct Linked {
  explicit Linked(std::size_t rails = 1,
                  transport::verbs::Arrival arrival = transport::verbs::Arrival::imm,
                  const std::function<void(FakeVerbs&)>& prepare = {})
      : fake(rails, prepare), a(1, rails), b(0, rails) {
    connect_ends(a, b, arrival);
  }
  void progress() {
    a.progress();
    b.progress();
  }
  PreparedVerbs fake;
  End a, b;
};

// Memory of one end that the other one may write.
struct Target {
  Target(End& end, std::size_t size)
      : owner(end), bytes(size), registration(end.registrar.add(bytes.data(), size, true)) {}
  ~Target() { owner.registrar.remove(registration); }
  transport::RemoteKey key() const {
    return {reinterpret_cast<std::uint64_t>(bytes.data()), bytes.size(), registration.remote_keys};
  }
  End& owner;
  std::vector<std::byte> bytes;
  transport::Registration registration;
};

// From now on `from` writes by its larger side.
inline void grow_over(End& from, End& to) {
  REQUIRE(from.growth().grow_out() == transport::Post::done);
  to.progress();
  REQUIRE(to.link.inbox().must_grow());
  to.growth().grow_in();
}

}  // namespace tutti::tests
