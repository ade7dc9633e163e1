// The all-to-all in which each block has a type of its own: blocks are packed, and go as bytes.
#include <cstdint>
#include <optional>
#include <string>

#include "base/copy.hpp"
#include "base/error.hpp"
#include "src/api/library.hpp"
#include "src/data/buffers.hpp"
#include "src/drop-in/taking.hpp"
#include "src/job/call_words.hpp"

namespace tutti::drop_in {
namespace {

// The blocks of one buffer, as the caller has them and packed. Made, used and destroyed with the
// engine's lock held.
class Packed {
 public:
  // Throws Error and std::bad_alloc.
  template <class Count, class Displacement>
  Packed(const Datatypes& datatypes, const void* buffer, const Count* counts,
         const Displacement* offsets, const MPI_Datatype* types, int blocks, const char* name)
      : datatypes_(datatypes),
        user_(reinterpret_cast<std::uintptr_t>(buffer)),
        room_(datatypes.scratch()) {
    must_be_host_memory(buffer, name);
    if (!counts || !offsets || !types)
      throw Error(Code::bad_buffer,
                  std::string("counts, displacements or types are NULL for ") + name);
    for (int i = 0; i < blocks; ++i) {
      const Layout layout =
          counts[i] == 0 ? Layout{0, true, true, 0, 0, 0} : datatypes.layout(types[i], name);
      const Bytes bytes = bytes_of(counts[i], layout, 1, name);
      // In no process there are data in the first page.
      if (bytes > 0 && address(offsets[i] + layout.lower) < 4096)
        throw Error(
            Code::bad_buffer,
            std::string("data are expected where no memory is, as the address is NULL: ") + name);
      blocks_.push_back({offsets[i], counts[i], types[i], layout});
      lengths_.push_back(bytes);
      places_.push_back(total_);
      if (__builtin_add_overflow(total_, bytes, &total_))
        throw Error(Code::bad_count, std::string("the blocks do not fit in 63 bits: ") + name);
    }
    if (total_ > 0) bytes_ = room_.get(total_, kPackedCopy);
  }

  void pack() {
    each([&](std::byte* user, const Block& b, std::byte* at, Bytes length) {
      if (b.layout.contiguous)
        copy_bytes(at, user, static_cast<std::size_t>(length));
      else
        datatypes_.pack(user, b.count, b.type, b.layout, at);
    });
  }
  void unpack() {
    each([&](std::byte* user, const Block& b, std::byte* at, Bytes length) {
      if (b.layout.contiguous)
        copy_bytes(user, at, static_cast<std::size_t>(length));
      else
        datatypes_.unpack(at, user, b.count, b.type, b.layout);
    });
  }

  std::byte* bytes() const noexcept { return bytes_; }
  const MPI_Count* lengths() const noexcept { return lengths_.data(); }
  const MPI_Count* places() const noexcept { return places_.data(); }

 private:
  struct Block {
    Bytes offset;
    MPI_Count count;
    MPI_Datatype type;
    Layout layout;
  };
  // By integers: the buffer may be null (MPI_BOTTOM), and then pointer arithmetic is undefined.
  std::uintptr_t address(Bytes offset) const noexcept {
    return user_ + static_cast<std::uintptr_t>(offset);
  }
  template <class Move>
  void each(Move&& move) {
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (lengths_[i] > 0)
        move(reinterpret_cast<std::byte*>(address(blocks_[i].offset)), blocks_[i],
             bytes_ + places_[i], lengths_[i]);
  }

  const Datatypes& datatypes_;
  const std::uintptr_t user_;
  std::vector<Block> blocks_;
  std::vector<MPI_Count> lengths_, places_;
  Bytes total_ = 0;
  ScratchBuffer room_;
  std::byte* bytes_ = nullptr;
};

template <class Count, class Displacement>
int alltoallw_packed(const void* in, const Count* sends, const Displacement* from,
                     const MPI_Datatype* send_types, void* out, const Count* receives,
                     const Displacement* to, const MPI_Datatype* receive_types, Communicator& c) {
  std::optional<Packed> sent, received;
  const bool in_place = in == MPI_IN_PLACE;
  int code = guard([&](Library& state) {
    try {
      if (!in_place) {
        sent.emplace(state.datatypes, in, sends, from, send_types, c.size, "sendbuf");
        sent->pack();
      }
      received.emplace(state.datatypes, out, receives, to, receive_types, c.size, "recvbuf");
      if (in_place) received->pack();
    } catch (Error& error) {
      error.message =
          in_next_call(communicator_of(c.tutti).agreement(), "alltoallw", error.message);
      throw;
    }
  });
  if (code == TUTTI_SUCCESS) {
    code = tutti_alltoallv(in_place ? MPI_IN_PLACE : sent->bytes(),
                           in_place ? nullptr : sent->lengths(),
                           in_place ? nullptr : sent->places(), MPI_BYTE, received->bytes(),
                           received->lengths(), received->places(), MPI_BYTE, c.tutti);
    if (code == TUTTI_SUCCESS) code = guard([&](Library&) { received->unpack(); });
  } else {
    guard([&](Library&) {
      communicator_of(c.tutti).refuse(static_cast<Code>(code), tutti_last_error_message());
    });
  }
  guard([&](Library&) {
    received.reset();
    sent.reset();
  });
  return code;
}

template <class Count, class Displacement>
int alltoallw(const void* in, const Count* sends, const Displacement* from,
              const MPI_Datatype* send_types, void* out, const Count* receives,
              const Displacement* to, const MPI_Datatype* receive_types, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Alltoallw, comm,
      [&](Communicator& c) {
        return alltoallw_packed(in, sends, from, send_types, out, receives, to, receive_types, c);
      },
      TUTTI_BENEATH(Alltoallw, Count, in, sends, from, send_types, out, receives, to, receive_types,
                    comm),
      [&](const Communicator& c) {
        MPI_Count bytes = 0;
        for (int i = 0; i < c.size; ++i)
          if (receives[i] > 0) bytes += receives[i] * size_of(receive_types[i]);
        return bytes;
      });
}

}  // namespace

void add_alltoallw(tutti_function functions[TUTTI_CALLS]) {
  TUTTI_PUT(Alltoallw, (alltoallw<int, int>));
#if MPI_VERSION >= 4
  TUTTI_PUT(Alltoallw_c, (alltoallw<MPI_Count, MPI_Aint>));
#endif
}

}  // namespace tutti::drop_in
