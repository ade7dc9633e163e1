// A link whose peer is the fuzzer: it writes whatever it likes wherever a peer may write, and what
// this rank writes is looked at and lost.
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "protocols/news.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "transport/link.hpp"

namespace tutti::fuzz {

inline constexpr transport::InboxShape kShape{{{{64, 4}, {320, 2}, {1088, 2}, {64, 2}, {64, 2}}}};
// First shape of a link that grows.
inline constexpr transport::InboxShape kFirst{{{{64, 2}, {320, 1}, {320, 1}, {64, 1}, {64, 2}}}};

class PeerlessLink final : public transport::Link, transport::Fetching, transport::Growth {
 public:
  struct Kind {
    bool polls_memory, fetches, passes_pieces, direct, grows;
  };

  explicit PeerlessLink(const Kind& kind)
      : Link(kShape, 1, kind.grows ? std::optional(kFirst) : std::nullopt),
        kind_(kind),
        memory_(inbox_of(inbox().shape())),
        large_memory_(kind.grows ? inbox_of(kShape) : nullptr) {
    set_capabilities({.writes_directly = kind.direct,
                      .passes_pieces = kind.passes_pieces,
                      .notifies = !kind.fetches,
                      .fetching = kind.fetches ? this : nullptr,
                      .growth = kind.grows ? this : nullptr});
    inbox().place(memory_.get());
    if (kind.grows) inbox().place_larger(large_memory_.get());
    if (!kind.polls_memory) inbox().count_arrivals();
    become(transport::State::connecting, transport::State::ready);
  }

  // --- the peer writes
  void arrive(transport::Ring ring, std::uint32_t slot, const transport::Trailer& trailer,
              Input& payload) {
    const bool to_large = inbox().must_grow() || inbox().grown();
    const transport::InboxShape& written = to_large ? kShape : inbox().shape();
    const RingShape& shape = written[ring];
    std::byte* const end =
        (to_large ? large_memory_ : memory_).get() + written.slot_end(ring, slot % shape.slots);
    const std::uint32_t bytes = std::min<std::uint32_t>(trailer.length.bytes(), shape.capacity());
    if (bytes != 0) payload.take(end - sizeof trailer - transport::padded(bytes), bytes);
    std::memcpy(end - sizeof trailer, &trailer, sizeof trailer);
    inbox().note_arrival(ring, to_large);
  }
  void poke(std::size_t word, std::uint32_t value) {
    word %= inbox().shape().bytes() / sizeof value;
    std::byte* const read = (inbox().grown() ? large_memory_ : memory_).get();
    std::memcpy(read + word * sizeof value, &value, sizeof value);
  }
  void credit(std::size_t ring, std::uint32_t value) {
    inbox().note_credit(static_cast<transport::Ring>(ring), value);
  }
  void finish(std::uint32_t id) { note_finished(id); }
  void acknowledge() { note_completed(tickets_); }

  void move() {
    if (kind_.grows && !inbox().grown()) inbox().note_moved();
  }
  void let_grow() {
    if (kind_.grows && !outbox().grown()) outbox().let_grow();
  }

  // --- this rank writes
  void ask_for_more() noexcept override {}
  transport::Post grow_out() noexcept override {
    must(kind_.grows && !outbox().grown(), "an inbox grows once");
    outbox().grow();
    return transport::Post::done;
  }
  void grow_in() noexcept override { inbox().grow(); }
  std::uint64_t written() const noexcept override { return 0; }
  transport::Post put(transport::Ring ring, std::uint32_t index, const void* payload,
                      const transport::Trailer& trailer) noexcept override {
    const RingShape& shape = outbox().shape()[ring];
    must(index < shape.slots && trailer.length.bytes() <= shape.capacity(), "a message has a slot");
    look_at(payload, trailer.length.bytes());
    return state().failed() ? transport::Post::failed : transport::Post::done;
  }
  transport::Post report(transport::Ring, std::uint32_t) noexcept override {
    return transport::Post::done;
  }
  transport::Post write(const void* source, const transport::Registration&,
                        const transport::RemoteKey&, std::size_t bytes,
                        std::optional<std::uint32_t> id, std::uint64_t* ticket) noexcept override {
    must(!id || *id < transport::kInvitations, "a transfer has a number");
    look_at(source, bytes);
    *ticket = ++tickets_;
    return state().failed() ? transport::Post::failed : transport::Post::posted;
  }
  transport::Post fetch(void* target, const transport::RemoteKey&,
                        std::size_t bytes) noexcept override {
    must(kind_.fetches, "only some links fetch");
    std::memset(target, 1, bytes);
    return state().failed() ? transport::Post::failed : transport::Post::done;
  }
  void probe() noexcept override {}
  bool drained() noexcept override { return true; }
  bool fetch_pays(Bytes, const transport::Load&) noexcept override { return ++asked_ % 2 == 0; }
  const char* kind() const noexcept override { return "fuzz"; }

 private:
  using RingShape = transport::RingShape;
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static Memory inbox_of(const transport::InboxShape& shape) {
    Memory inbox(static_cast<std::byte*>(std::aligned_alloc(kCacheLine, shape.bytes())));
    std::memset(inbox.get(), 0, shape.bytes());
    return inbox;
  }
  void look_at(const void* bytes, std::size_t count) {
    const auto* const begin = static_cast<const std::byte*>(bytes);
    lost_.assign(begin, begin + count);
  }

  const Kind kind_;
  const Memory memory_, large_memory_;
  std::uint64_t tickets_ = 0, asked_ = 0;
  std::vector<std::byte> lost_;
};

// Hears what may be said, and no more.
struct Ear final : protocols::Listener {
  void hear(const protocols::News& news, int from) noexcept override {
    must(news.credible() && from == 1, "news is credible");
  }
  void hear_notice(const protocols::News& news, int from) noexcept override { hear(news, from); }
  bool unwanted(const MessageName& name, int) noexcept override {
    return name.communicator == abandoned;
  }
  protocols::News why_unwanted(const MessageName& name, int) noexcept override {
    return {.communicator = name.communicator, .code = Code::timed_out};
  }
  CommunicatorId abandoned = 0;
};

}  // namespace tutti::fuzz
