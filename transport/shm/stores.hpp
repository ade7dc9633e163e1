// Which stores write a long payload into a peer's inbox.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/copy.hpp"
#include "base/packed_view.hpp"
#include "transport/inbox_shape.hpp"
#include "transport/read_watch.hpp"
#include "transport/shm/told.hpp"

namespace tutti::transport::shm {

// How a long payload was stored, streamed by non-temporal stores, string by the processor's string
// instruction; untold: it is short, or its sender need not know how it is read. The mark of its
// length.
enum class StoreKind : std::uint8_t { untold, cached, streamed, string };

// Something for each kind of store.
template <class T>
struct ByKind {
  T cached, streamed, string;
  T& operator[](StoreKind kind) noexcept {
    return kind == StoreKind::cached ? cached : kind == StoreKind::streamed ? streamed : string;
  }
  const T& operator[](StoreKind kind) const noexcept { return const_cast<ByKind&>(*this)[kind]; }
};

// A rank's times to read long payloads, by how they were stored. In shared memory: written by the
// reader, read by the rank that stores.
using ReadTimes = ByKind<ToldTime>;

// Whether the processor's string instruction is quick: its microcode writes whole cache lines
// without reading them first, as non-temporal stores do, and leaves them in the caches.
bool has_string_stores() noexcept;

// A normal store must first pull the line out of the peer's cache, where it lies since the peer has
// read it. Between cores that share a cache that may be the fastest way; between others it may take
// three times as long as a non-temporal store, which skips that. But then the peer reads from
// memory, which may cost much more than was saved. The string instruction may take half the time of
// normal stores, or much longer. No table of a machine says which kind takes least time, for writer
// and reader together, and a virtual machine's cores move; so all are tried again and again.
//
// A copy's time depends on how the lines were written the last time. So a trial first goes once
// through all slots, and is measured then. After a kind that lost another is tried, after twice as
// many copies as the last time, or as soon as the one that serves takes longer than it took.
class StorePolicy {
 public:
  // A ring of long payloads has so many slots. The reader's times are read at the end of trials.
  StorePolicy(std::uint32_t slots, const ReadTimes& read,
              bool string_stores = has_string_stores()) noexcept
      : slots_(slots), read_(read), string_stores_(string_stores) {}

  // How it was stored, if that is long.
  StoreKind copy(void* to, const void* from, std::size_t bytes) noexcept {
    if (bytes >= kLong) return copy_long(to, from, bytes);
    copy_bytes(to, from, bytes);
    return StoreKind::untold;
  }

  // As copy(), for bytes of a view, which are packed on their way; `from` is in its room.
  StoreKind pack(std::byte* to, const PackedView& view, const std::byte* from,
                 std::size_t bytes) noexcept;
  // How the next long copy will be stored.
  StoreKind way() const noexcept { return tries_ ? tried_ : way_; }
  // Notes the time of that copy.
  void record(double ticks_per_byte) noexcept;
  // Times of a byte by the best way; 0: not all are measured. If the one that serves becomes slow,
  // the others count with their times of the last trial, and will be tried.
  struct Times {
    double stored, read;
  };
  Times times() const noexcept;

 private:
  static constexpr std::size_t kLong = 4096;  // from here on the clock costs next to nothing
  // Copies from the end of a trial to the next.
  static constexpr std::uint32_t kSoonest = 64, kLatest = 1 << 16;
  // Copies of a trial that are measured, and of which the reader's times must tell.
  static constexpr std::uint32_t kMeasured = 32;
  StoreKind copy_long(void* to, const void* from, std::size_t bytes) noexcept;
  template <class Store>
  StoreKind timed(std::size_t bytes, Store&& store) noexcept;
  // Each of the others in turn.
  StoreKind next_other(StoreKind after) const noexcept;
  Times times(StoreKind way) const noexcept { return {written_[way], read_[way].ticks_per_byte()}; }
  bool wins(StoreKind other) const noexcept;
  StoreKind winner() const noexcept;
  void begin_trial(StoreKind of) noexcept;
  void end_trial() noexcept;

  const std::uint32_t slots_;
  const ReadTimes& read_;
  const bool string_stores_;
  StoreKind way_ = StoreKind::cached;    // the one that serves
  StoreKind tried_ = StoreKind::cached;  // the last one that was tried, or is
  bool tries_ = false;
  std::uint32_t copies_ = 0;  // since the trial began, or the last one ended
  std::uint32_t next_trial_ = kSoonest;
  ByKind<double> written_{};  // ticks of a byte, smoothed; 0: not measured
  double in_trial_ = 0;       // the time of a byte in this trial
};

// The reader's side: times the reads of payloads that say how they were stored.
class ReadClock final : public ReadWatch {
 public:
  // Where the one who stores reads them.
  explicit ReadClock(ReadTimes& told) noexcept : told_(told) {}
  void begin_read() noexcept override;
  void end_read(Length payload) noexcept override;
  void record(StoreKind stored, double ticks_per_byte) noexcept;

 private:
  ReadTimes& told_;
  std::uint64_t begin_ = 0;
  ByKind<double> smoothed_{};
  std::uint32_t count_ = 0;
};

}  // namespace tutti::transport::shm
