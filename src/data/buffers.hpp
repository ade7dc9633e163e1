// The caller's buffers as schedules want them: the bytes of all blocks, one after another. A buffer
// that looks like this already is used as it is. Elements with gaps, and blocks at scattered
// displacements, have a view, by which bytes are packed and unpacked on their way. Types that
// MPI packs have none: they are packed before a call and unpacked after it.
// Knows datatypes; knows no communicator.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "base/packed_view.hpp"
#include "src/data/datatype.hpp"
#include "src/data/gpu_memory.hpp"
#include "src/data/maybe.hpp"

namespace tutti {

// The bytes of `count` elements. Throws Error{bad_count} if the count is negative, or if `blocks`
// times as many do not fit in 63 bits; `name` is the argument's, for the message.
Bytes checked_bytes(MPI_Count count, const Layout& layout, MPI_Count blocks, const char* name);
inline Bytes bytes_of(MPI_Count count, const Layout& layout, MPI_Count blocks, const char* name) {
  if (count >= 0 && count < (1 << 30) && layout.contiguous && layout.size < (1 << 20)) [[likely]]
    return count * layout.size;
  return checked_bytes(count, layout, blocks, name);
}

// One buffer: a number of blocks, each a number of elements of one type.
class Blocked {
 public:
  // Where the number of a block is expected.
  static constexpr int kNoBlock = -1, kAllBlocks = -2;

  // Equal blocks, one after another. `name` is the argument's, for messages. Throws Error{bad_count
  // | bad_datatype | datatype_not_committed | bad_buffer}.
  Blocked(const Datatypes& datatypes, const void* buffer, MPI_Count count, MPI_Datatype type,
          int blocks, const char* name)
      : Blocked(datatypes, datatypes.layout(type, {name}), buffer, count, type, blocks, name) {}
  // For a type whose layout is known already.
  Blocked(const Datatypes& datatypes, const Layout& layout, const void* buffer, MPI_Count count,
          MPI_Datatype type, int blocks, const char* name)
      : datatypes_(datatypes),
        name_(name),
        user_(static_cast<std::byte*>(const_cast<void*>(buffer))),
        type_(type),
        layout_(layout),
        blocks_(blocks),
        room_(datatypes.scratch()) {
    take_equal_blocks(count, name);
  }
  // Blocks of `counts` elements, at `displacements` (in extents; null: one after another).
  Blocked(const Datatypes& datatypes, const void* buffer, const MPI_Count* counts,
          const MPI_Count* displacements, MPI_Datatype type, int blocks, const char* name);
  // Blocks of types of their own, at `offsets` in bytes. Types of empty blocks do not matter.
  Blocked(const Datatypes& datatypes, const void* buffer, const MPI_Count* counts,
          const MPI_Count* offsets, const MPI_Datatype* types, int blocks, const char* name);

  Bytes block_bytes() const noexcept { return block_bytes_; }            // of equal blocks
  const std::vector<Bytes>& counts() const noexcept { return counts_; }  // of the others
  Bytes total() const noexcept { return total_; }
  bool as_is() const noexcept { return direct_ != nullptr || total_ == 0; }
  // And equal arguments will always mean the same.
  bool is_plain() const noexcept { return layout_.predefined && as_is(); }
  const Layout& layout() const noexcept { return layout_; }
  MPI_Datatype type() const noexcept { return type_; }

  // For reading: all bytes.
  const std::byte* bytes() { return filled(kAllBlocks); }
  // For writing. Block number `keep` (or kAllBlocks, kNoBlock) is filled with what the caller's
  // buffer holds, for operations in place. Throws Error{bad_datatype} if pieces of the datatype
  // overlap for certain, unless Datatypes is lenient.
  std::byte* room(int keep = kNoBlock) {
    must_allow_receiving();
    return filled(keep);
  }
  // The data for a call that may use a view: then nothing is copied, and the addresses are those of
  // the view's room. copy_all() must follow if the call cannot use it.
  const std::byte* source() { return placed(kAllBlocks); }
  std::byte* destination(int keep = kNoBlock) {
    must_allow_receiving();
    return placed(keep);
  }
  // Null: there is none, or copy_all() was called.
  PackedView* view() noexcept { return viewed_ ? &*view_ : nullptr; }
  // Copies to the room, as bytes() or room() do. The view is not used then.
  void copy_all();
  // Brings what was written to room() to the caller's buffer, except block `except`.
  void deliver(int except = kNoBlock);

  bool shares(const Blocked& other) const;
  // Some byte of a block may lie between bytes of one block of the other. Throws std::bad_alloc.
  bool reaches_into(const Blocked& other) const;
  // Block `mine` is where block `theirs` of the other is, and of the same type.
  bool has_same_place(int mine, const Blocked& other, int theirs) const noexcept {
    return has_own_types() == other.has_own_types() && type_ == other.type_ &&
           at(offset_of(mine)) == other.at(other.offset_of(theirs));
  }
  // Throws Error{buffers_overlap} if the two share bytes; `remedy` says what to do about it.
  void must_not_share(const Blocked& other, const char* remedy) const;
  // From now on bytes() is a copy, whatever is written to the caller's buffer.
  void detach();
  // Throws Error{bad_displacement} if two blocks overlap for certain.
  void must_not_overlap() const;

 private:
  struct Span {  // addresses
    std::uintptr_t begin, end;
    bool dense;  // all bytes between are data
  };
  struct Piece {
    Bytes offset;  // of the first element, from the buffer's address
    MPI_Count count;
    Bytes bytes;
    std::size_t own = 0;  // 0: of the one type; else that number of own_, plus one
  };
  struct Own {
    MPI_Datatype type;
    Layout layout;
  };
  void take_equal_blocks(MPI_Count count, const char* name) {
    must_be_host_memory(user_, name);
    block_bytes_ = bytes_of(count, layout_, blocks_, name);
    total_ = block_bytes_ * blocks_;
    if (layout_.contiguous && user_) [[likely]]
      direct_ = user_;
    else
      take_one_piece(count, name);
  }
  void take_one_piece(MPI_Count count, const char* name);
  // As many as there are blocks, or one for all if they are equal.
  std::span<const Piece> pieces() const noexcept {
    return counts_.empty() ? std::span(&whole_, 1) : std::span(pieces_);
  }
  bool has_own_types() const noexcept { return !own_.empty(); }
  const Layout& layout_of(const Piece& piece) const noexcept {
    return piece.own == 0 ? layout_ : own_[piece.own - 1].layout;
  }
  bool is_known() const noexcept;
  std::byte* at(Bytes offset) const noexcept;
  Bytes offset_of(int block) const noexcept {
    if (!counts_.empty()) return pieces_[static_cast<std::size_t>(block)].offset;
    return block * (layout_.contiguous ? block_bytes_ : whole_.count / blocks_ * layout_.extent);
  }
  // From the first to past the last byte of a piece; of all pieces.
  Span span_of(const Piece& piece) const noexcept;
  Span span() const noexcept;
  template <class Meet>
  bool any_meet(const Blocked& other, Meet&& meet) const;
  void must_be_absolute(const Piece& piece, const char* name) const;
  void must_be_in_memory(const Piece& piece, const char* name) const;
  void must_allow_receiving() const {
    if (!as_is() && !datatypes_.lenient()) must_have_a_place_each();
  }
  void must_have_a_place_each() const;
  void dense_blocks_must_not_overlap() const;
  std::byte* filled(int keep);
  std::byte* placed(int keep);
  void make_view();
  void fill(int keep);
  void move(const Piece& piece, Bytes at, bool pack);

  const Datatypes& datatypes_;
  const char* const name_;  // of the argument
  std::byte* const user_;
  const MPI_Datatype type_;
  Layout layout_;
  Piece whole_{};              // all of equal blocks
  std::vector<Piece> pieces_;  // the others
  std::vector<Own> own_;       // where blocks have types of their own
  int blocks_;
  Bytes block_bytes_ = 0, total_ = 0;
  std::vector<Bytes> counts_;
  std::byte* direct_ = nullptr;
  ScratchBuffer room_;
  std::byte* packed_ = nullptr;
  bool detached_ = false;
  bool viewed_ = false;
  int keep_ = kNoBlock;                  // of destination() and source()
  std::vector<PackedView::Part> parts_;  // of blocks that are not equal
  Maybe<PackedView> view_;
};

}  // namespace tutti
