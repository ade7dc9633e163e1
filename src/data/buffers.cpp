// Packing and unpacking, and where buffers must lie.
#include "src/data/buffers.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include "base/copy.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tutti {

Bytes checked_bytes(MPI_Count count, const Layout& layout, MPI_Count blocks, const char* name) {
  Bytes bytes = 0, span = 0;
  if (count < 0)
    throw Error(Code::bad_count, fmt::format("a count of `{}` is {}; it must not be negative", name,
                                             static_cast<long long>(count)));
  if (__builtin_mul_overflow(static_cast<Bytes>(count),
                             std::max(layout.size, std::abs(layout.extent)), &span) ||
      __builtin_mul_overflow(span, static_cast<Bytes>(blocks), &span) ||
      __builtin_mul_overflow(static_cast<Bytes>(count), layout.size, &bytes))
    throw Error(Code::bad_count,
                fmt::format("{} elements of {} bytes in `{}` do not fit in 63 bits",
                            static_cast<long long>(count), layout.size, name));
  return bytes;
}

std::byte* Blocked::at(Bytes offset) const noexcept {
  // By integers: the buffer may be null (MPI_BOTTOM), and then pointer arithmetic is undefined.
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(user_) +
                                      static_cast<std::uintptr_t>(offset));
}

void Blocked::take_one_piece(MPI_Count count, const char* name) {
  if (!user_ && total_ > 0) must_be_absolute({}, name);
  whole_ = {0, count * blocks_, total_};
  must_be_in_memory(whole_, name);
  if (total_ > 0 && layout_.is_run(whole_.count)) direct_ = at(layout_.lower);
}

Blocked::Blocked(const Datatypes& datatypes, const void* buffer, const MPI_Count* counts,
                 const MPI_Count* displacements, MPI_Datatype type, int blocks, const char* name)
    : datatypes_(datatypes),
      name_(name),
      user_(static_cast<std::byte*>(const_cast<void*>(buffer))),
      type_(type),
      layout_(datatypes.layout(type, {name})),
      blocks_(blocks),
      room_(datatypes.scratch()) {
  must_be_host_memory(buffer, name);
  if (!counts) throw Error(Code::bad_buffer, fmt::format("the counts of `{}` are NULL", name));
  bool in_order = layout_.is_run(2);
  Bytes next = 0, first = 0;
  bool any = false;
  for (int i = 0; i < blocks; ++i) {
    const Bytes bytes = bytes_of(counts[i], layout_, 1, name);
    Bytes offset = next;
    if (displacements && bytes > 0 &&
        __builtin_mul_overflow(static_cast<Bytes>(displacements[i]), layout_.extent, &offset))
      throw Error(Code::bad_displacement,
                  fmt::format("displacement {} of `{}` does not fit in 63 bits", i, name));
    if (bytes > 0) {
      if (!any) first = offset;
      if (any && offset != next) in_order = false;
      any = true;
      if (__builtin_add_overflow(offset, counts[i] * layout_.extent, &next))
        throw Error(Code::bad_displacement,
                    fmt::format("displacement {} of `{}` and what lies there do not fit in 63 bits",
                                i, name));
    }
    pieces_.push_back({offset, counts[i], bytes});
    if (!layout_.contiguous) must_be_in_memory(pieces_.back(), name);
    counts_.push_back(bytes);
    if (__builtin_add_overflow(total_, bytes, &total_))
      throw Error(Code::bad_count, fmt::format("the counts of `{}` do not fit in 63 bits", name));
  }
  if (!user_ && total_ > 0) must_be_absolute({first, 0, 0}, name);
  if (in_order) direct_ = at(layout_.lower + first);
}

Blocked::Blocked(const Datatypes& datatypes, const void* buffer, const MPI_Count* counts,
                 const MPI_Count* offsets, const MPI_Datatype* types, int blocks, const char* name)
    : datatypes_(datatypes),
      name_(name),
      user_(static_cast<std::byte*>(const_cast<void*>(buffer))),
      type_(MPI_BYTE),
      layout_(datatypes.layout(MPI_BYTE)),
      blocks_(blocks),
      room_(datatypes.scratch()) {
  must_be_host_memory(buffer, name);
  if (!counts || !offsets || !types)
    throw Error(Code::bad_buffer,
                fmt::format("the counts, displacements or types of `{}` are NULL", name));
  const std::size_t all = index(blocks);
  own_.reserve(all);
  pieces_.reserve(all);
  counts_.reserve(all);
  for (std::size_t i = 0; i < all; ++i) {
    const TypeArgument argument{name, static_cast<int>(i)};
    own_.push_back({types[i], counts[i] == 0 ? layout_ : datatypes.layout(types[i], argument)});
    const Layout& layout = own_.back().layout;
    const Bytes bytes = bytes_of(counts[i], layout, 1, name);
    pieces_.push_back({bytes > 0 ? Bytes{offsets[i]} : 0, counts[i], bytes, own_.size()});
    counts_.push_back(bytes);
    if (__builtin_add_overflow(total_, bytes, &total_))
      throw Error(Code::bad_count, fmt::format("the counts of `{}` do not fit in 63 bits", name));
    must_be_in_memory(pieces_.back(), name);
    if (!user_ && bytes > 0) must_be_absolute(pieces_.back(), name);
  }
}

// A null buffer is MPI_BOTTOM where the type says where in memory the data are, which is not in its
// first page.
void Blocked::must_be_absolute(const Piece& piece, const char* name) const {
  const Layout& layout = layout_of(piece);
  if ((layout.contiguous && !has_own_types()) || std::abs(piece.offset + layout.lower) < 4096)
    throw Error(Code::bad_buffer,
                fmt::format("`{}` is NULL, and {} bytes are expected there", name, total_));
}

// Between piece `piece` of the user's buffer and `at` of the packed bytes.
void Blocked::move(const Piece& piece, Bytes at, bool pack) {
  if (piece.bytes == 0) return;
  const Layout& layout = layout_of(piece);
  std::byte* const typed = this->at(piece.offset);
  std::byte* const place = packed_ + at;
  if (layout.contiguous)
    pack ? copy_bytes(place, typed, static_cast<std::size_t>(piece.bytes))
         : copy_bytes(typed, place, static_cast<std::size_t>(piece.bytes));
  else if (pack)
    datatypes_.pack(typed, piece.count, layout, place);
  else
    datatypes_.unpack(place, typed, piece.count, layout);
}

void Blocked::must_be_in_memory(const Piece& piece, const char* name) const {
  // Addresses of processes have no more bits, but for memory that was asked for beyond.
  constexpr Bytes kUsual = Bytes{1} << 47, kLargest = Bytes{1} << 57;
  const Bytes most = reinterpret_cast<std::uintptr_t>(user_) < kUsual ? kUsual : kLargest;
  if (piece.bytes == 0) return;
  const Layout& layout = layout_of(piece);
  const Bytes last = layout.extent * (piece.count - 1);
  Bytes begin = 0, end = 0;
  const bool beyond =
      __builtin_add_overflow(static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(user_)),
                             piece.offset, &begin) ||
      __builtin_add_overflow(begin, layout.lower, &begin) ||
      __builtin_add_overflow(begin, std::max<Bytes>(last, 0), &end) ||
      __builtin_add_overflow(end, layout.true_extent, &end) ||
      __builtin_add_overflow(begin, std::min<Bytes>(last, 0), &begin) || begin < 0 || end > most;
  if (beyond)
    throw Error(
        Code::bad_buffer,
        fmt::format("the elements of `{}` lie beyond the memory of a process: {} of them, {} "
                    "bytes apart, with data from byte {} on, over {} bytes",
                    name, static_cast<long long>(piece.count), layout.extent, layout.lower,
                    layout.true_extent));
}

void Blocked::must_have_a_place_each() const {
  const auto all = pieces();
  const auto shared = std::ranges::find_if(all, [&](const Piece& piece) {
    return piece.bytes > 0 && layout_of(piece).overlaps_itself(piece.count);
  });
  if (shared == all.end()) return;
  const TypeArgument argument{name_, static_cast<int>(shared->own) - 1};
  throw Error(
      Code::bad_datatype,
      fmt::format("pieces of {} overlap; where data are received each byte needs a place of "
                  "its own",
                  argument.words()));
}

std::byte* Blocked::filled(int keep) {
  if (as_is()) return direct_;
  packed_ = room_.get(total_, kPackedCopy);
  fill(keep);
  return packed_;
}

void Blocked::fill(int keep) {
  if (keep == kNoBlock) return;
  Bytes at = 0;
  if (counts_.empty() && keep >= 0) {
    const MPI_Count each = whole_.count / blocks_;
    move({keep * each * layout_.extent, each, block_bytes_}, keep * block_bytes_, true);
    return;
  }
  const auto all = pieces();
  for (std::size_t i = 0; i < all.size(); at += all[i++].bytes)
    if (keep == kAllBlocks || static_cast<int>(i) == keep) move(all[i], at, true);
}

bool Blocked::is_known() const noexcept {
  return layout_.is_known() &&
         std::ranges::all_of(own_, [](const Own& own) { return own.layout.is_known(); });
}

// The room has an address for each byte, and most pages of it are never touched.
std::byte* Blocked::placed(int keep) {
  if (as_is() || detached_ || !is_known()) return filled(keep);
  packed_ = room_.get(total_, kPackedCopy);
  make_view();
  viewed_ = true;
  keep_ = keep;
  return packed_;
}

void Blocked::make_view() {
  if (counts_.empty()) {
    view_.emplace(layout_.bytes_of(user_, whole_.count), packed_);
    return;
  }
  parts_.reserve(pieces_.size());
  Bytes begin = 0;
  for (const Piece& piece : pieces_) {
    if (piece.bytes == 0) continue;
    const Layout& layout = layout_of(piece);
    std::byte* const first = at(piece.offset);
    parts_.push_back({layout.contiguous ? TypedBytes::plain(first, piece.bytes)
                                        : layout.bytes_of(first, piece.count),
                      begin});
    begin += piece.bytes;
  }
  view_.emplace(parts_, packed_);
}

void Blocked::copy_all() {
  if (std::exchange(viewed_, false)) fill(keep_);
}

void Blocked::deliver(int except) {
  if (as_is() || viewed_) return;
  Bytes at = 0;
  const auto all = pieces();
  for (std::size_t i = 0; i < all.size(); at += all[i++].bytes)
    if (static_cast<int>(i) != except || counts_.empty()) move(all[i], at, false);
}

void Blocked::detach() {
  if (counts_.empty()) whole_ = {0, total_ / layout_.size, total_};
  direct_ = nullptr;
  detached_ = true;
}

}  // namespace tutti
