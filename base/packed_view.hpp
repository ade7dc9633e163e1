// Elements of datatypes where they lie in memory, for those who count the bytes that travel: a room
// has an address for each of these, and values only where somebody needs them together. Code that
// can take bytes from anywhere, or put them anywhere, uses the elements themselves. Pure.
#pragma once

#include <span>

#include "base/packing.hpp"
#include "base/runs.hpp"

namespace tutti {

class PackedView {
 public:
  // Elements of one type. Their bytes have addresses in the room from byte `begin` on.
  struct Part {
    TypedBytes typed;
    Bytes begin;

    Bytes end() const noexcept { return begin + typed.size(); }
  };

  // `room` has typed.size() bytes; what they are does not matter. It must outlive the view, as must
  // what `typed` refers to.
  PackedView(const TypedBytes& typed, std::byte* room) noexcept : one_{typed, 0}, room_(room) {}
  // Several parts: at least one, none empty, each begins in the room where the one before it ends.
  // They must outlive the view.
  PackedView(std::span<const Part> parts, std::byte* room) noexcept
      : one_(parts.front()), several_(parts), room_(room) {}
  PackedView(const PackedView&) = delete;
  PackedView& operator=(const PackedView&) = delete;

  std::byte* room() const noexcept { return room_; }
  Bytes size() const noexcept { return parts().back().end(); }
  // The first part, or all there is.
  const TypedBytes& elements() const noexcept { return one_.typed; }
  // true: each byte has a place of its own. false: it has not, or that would take long to find out.
  // Throws std::bad_alloc.
  bool places_differ() const;
  // A hint: bytes are sent to several ranks, so they should be packed only once.
  bool is_read_often() const noexcept { return read_often_; }
  void note_receivers(int receivers) noexcept { read_often_ = receivers > 1; }

  // `at` is an address in the room, for the first of `bytes` bytes, in all of these.
  //
  // Where they lie in memory, if that is one run of bytes: whoever reads or writes them there needs
  // no view, and calls forget() before writing. Null: it is not, or that would take long to find
  // out. bytes > 0.
  std::byte* run_in_memory(const std::byte* at, Bytes bytes) const noexcept;
  // Brings them into the room. Bytes that are there already are not written again.
  void bring(const std::byte* at, Bytes bytes) noexcept;
  // They change where they lie in memory: what the room has of them is out of date.
  void forget(const std::byte* at, Bytes bytes) noexcept;
  // Copies them to other memory.
  void pack(const std::byte* at, Bytes bytes, std::byte* to) const noexcept {
    const Bytes begin = at - room_;
    gather(begin, begin + bytes, to);
  }
  // The first runs of memory in which they lie, in their order, as far as `runs` has room.
  void take_runs(const std::byte* at, Bytes bytes, RunList& runs) const noexcept;
  // Copies them to the elements of another view, which forgets them before. false: nothing was
  // copied, as their loops do not match (typed_copy.hpp).
  bool copy_one_part(const std::byte* at, const PackedView& to, const std::byte* target,
                     Bytes bytes) const noexcept;
  // They have come, and are at `from`, in the room or anywhere else: they go to their elements. Not
  // while anybody reads them in the room.
  void unpack(const std::byte* at, Bytes bytes, const std::byte* from) noexcept;

 private:
  std::span<const Part> parts() const noexcept {
    return several_.empty() ? std::span(&one_, 1) : several_;
  }
  const Part* part_of(Bytes begin) const noexcept;
  void gather(Bytes begin, Bytes end, std::byte* to) const noexcept;

  Part one_;
  std::span<const Part> several_;  // empty: there is one
  std::byte* room_;
  Bytes begin_ = 0, end_ = 0;  // these are in the room
  bool read_often_ = false;
};

// From the elements of one view to those of another; addresses are those of PackedView's functions.
// The elements share no byte.
void copy_between(const PackedView& from, const std::byte* source, PackedView& to,
                  const std::byte* target, Bytes bytes) noexcept;

}  // namespace tutti
