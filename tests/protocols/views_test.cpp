// Messages from and to elements of a datatype, whatever the protocol, at either end or at both.
#include <catch2/catch.hpp>

#include "tests/protocols/pair.hpp"
#include "tests/typed_memory.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;
using protocols::Use;

namespace {

// Either as it is or with gaps.
struct Place {
  Place(Bytes bytes, bool has_gaps) : plain(index(bytes)) {
    if (has_gaps) typed.emplace(bytes, 24, bytes % 2 != 0);
  }
  std::byte* data() { return typed ? typed->room() : plain.data(); }
  PackedView* view() { return typed ? typed->view() : nullptr; }
  void set(const std::vector<std::byte>& values) {
    plain = values;
    if (typed) typed->set(values);
  }
  std::vector<std::byte> values() const { return typed ? typed->values() : plain; }

  std::vector<std::byte> plain;
  std::optional<TypedMemory> typed;
};

constexpr Bytes kLengths[] = {0, 1, 24, 48, 49, 240, 999, 1008, 5000, 30000};

}  // namespace

TEST_CASE("messages come from elements and go to elements", "[views]") {
  std::uint32_t seed = 30;
  for (const Hostility& hostility : all_kinds(++seed))
    for (const auto& shape : {kUsual, kTiny})
      for (const auto& [there, here] : {std::pair{true, false}, {false, true}, {true, true}}) {
        Pair pair(hostility, shape);
        CollectiveNumber number = 0;
        for (const Use use : {Use::stored, Use::spread, Use::gathered})
          for (const Bytes bytes : kLengths) {
            CAPTURE(bytes, static_cast<int>(use), there, here);
            const auto values = bytes_of(index(bytes), ++seed);
            Place from(bytes, there), to(bytes, here);
            from.set(values);
            Transfer s, r;
            if (bytes > 0) s.view = from.view(), r.view = to.view();
            const MessageName name{1, number++, 0};
            bool gone = false, come = false;
            REQUIRE(pair.until([&] {
              if (!gone) {
                const Answer answer = pair.channels[0].send(s, name, from.data(), bytes, use);
                REQUIRE(answer != Answer::failed);
                gone = answer == Answer::done;
                // The program may use its buffer from here on.
                if (gone && from.typed) from.typed->fill(std::byte{0xBD});
              }
              if (!come) {
                const Answer answer = pair.channels[1].recv(r, name, to.data(), bytes, use);
                REQUIRE(answer != Answer::failed);
                come = answer == Answer::done;
              }
              return gone && come;
            }));
            CHECK((to.values() == values));
            if (to.typed) CHECK(to.typed->gaps_are_untouched());
          }
      }
}

TEST_CASE("one view serves messages to several at once", "[views]") {
  constexpr Bytes kBytes = 4800;
  for (const Hostility& hostility : all_kinds(5)) {
    Pair pair(hostility);
    TypedMemory from(kBytes);
    const auto values = bytes_of(kBytes, 9);
    from.set(values);
    // Parts of it, which overlap.
    constexpr int kMessages = 8;
    Transfer s[kMessages], r[kMessages];
    bool gone[kMessages]{}, come[kMessages]{};
    std::vector<std::byte> got[kMessages];
    const auto begin = [](int i) { return Bytes{i % 4} * 1100; };
    const auto length = [&](int i) { return std::min(kBytes - begin(i), Bytes{100 + 700 * i}); };
    for (int i = 0; i < kMessages; ++i) {
      s[i].view = from.view();
      got[i].resize(index(length(i)));
    }
    REQUIRE(pair.until([&] {
      bool all = true;
      for (int i = 0; i < kMessages; ++i) {
        const MessageName name{1, 0, static_cast<Ordinal>(i)};
        const auto step = [&](bool& over, auto&& take) {
          if (over) return;
          const Answer answer = take();
          REQUIRE(answer != Answer::failed);
          over = answer == Answer::done;
        };
        step(gone[i],
             [&] { return pair.channels[0].send(s[i], name, from.room() + begin(i), length(i)); });
        step(come[i], [&] { return pair.channels[1].recv(r[i], name, got[i].data(), length(i)); });
        all &= gone[i] && come[i];
      }
      return all;
    }));
    for (int i = 0; i < kMessages; ++i)
      CHECK(std::equal(got[i].begin(), got[i].end(), values.begin() + begin(i)));
  }
}

TEST_CASE("a message of another length changes no element behind those expected", "[views]") {
  for (const Hostility& hostility : all_kinds(8))
    for (const auto& [sent, expected] :
         {std::pair{Bytes{200}, Bytes{150}}, {900, 800}, {5000, 3000}, {3000, 5000}}) {
      Pair pair(hostility);
      const auto values = bytes_of(index(sent), 1);
      TypedMemory to(5000, 1);
      Transfer s, r;
      r.view = to.view();
      Answer sends = Answer::again, receives = Answer::again;
      REQUIRE(pair.until([&] {
        if (sends == Answer::again)
          sends = pair.channels[0].send(s, {1, 0, 0}, values.data(), sent);
        receives = pair.channels[1].recv(r, {1, 0, 0}, to.room(), expected);
        return sends == Answer::failed || receives != Answer::again;
      }));
      CHECK(receives != Answer::done);
      const auto got = to.values();
      CHECK(std::all_of(got.begin() + expected, got.end(),
                        [](std::byte b) { return b == std::byte{0x99}; }));
      CHECK(to.gaps_are_untouched());
    }
}
