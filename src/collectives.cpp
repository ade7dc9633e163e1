// The collectives of the C API: arguments are checked, types resolved, and a communicator runs the rest.
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "src/library.hpp"

namespace tutti {
namespace {

using collectives::Collective;

// The bytes of `count` elements. Throws Error{bad_count}.
Bytes bytes_of(MPI_Count count, const Layout& layout, MPI_Count blocks = 1) {
  Bytes bytes = 0, span = 0;
  if (count < 0) throw Error(Code::bad_count, fmt::format("the count is {}; it must not be negative", static_cast<long long>(count)));
  if (__builtin_mul_overflow(static_cast<Bytes>(count), std::max(layout.size, std::abs(layout.extent)), &span) ||
      __builtin_mul_overflow(span, static_cast<Bytes>(blocks), &span) ||
      __builtin_mul_overflow(static_cast<Bytes>(count), layout.size, &bytes))
    throw Error(Code::bad_count, fmt::format("{} elements of {} bytes do not fit in 63 bits", static_cast<long long>(count), layout.size));
  return bytes;
}

void check_buffer(const void* buffer, Bytes bytes, const char* name) {
  if (!buffer && bytes > 0) throw Error(Code::bad_buffer, fmt::format("`{}` is NULL, and {} bytes are expected there", name, bytes));
}

// Packed bytes of a derived type for the time of one call.
class Packed {
 public:
  explicit Packed(Bytes bytes) : memory_(static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(std::max<Bytes>(bytes, 1))))) {
    if (!memory_) throw Error(Code::out_of_memory, fmt::format("no memory to pack {} bytes of a derived datatype", bytes));
  }
  std::byte* get() const noexcept { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> memory_;
};

// From the first to past the last byte that `count` elements at `buffer` touch.
struct Span {
  std::uintptr_t begin, end;
  Span(const void* buffer, MPI_Count count, const Layout& layout) {
    const auto base = reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(layout.lower);
    const Bytes last = layout.extent * (count - 1);
    begin = base + static_cast<std::uintptr_t>(std::min<Bytes>(0, last));
    end = base + static_cast<std::uintptr_t>(std::max<Bytes>(0, last) + layout.true_extent);
  }
};

void broadcast(Library& state, void* buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm handle) {
  Communicator& comm = communicator_of(handle);
  const Layout layout = state.datatypes.layout(type);
  const Bytes bytes = bytes_of(count, layout);
  if (root < 0 || root >= comm.size())
    throw Error(Code::bad_root, fmt::format("the root is {}, and the communicator has ranks 0 to {}", root, comm.size() - 1));
  if (buffer == MPI_IN_PLACE) throw Error(Code::bad_buffer, "MPI_IN_PLACE has no meaning in a broadcast; pass the buffer");
  if (layout.contiguous) {
    check_buffer(buffer, bytes, "buffer");
    return comm.run(Collective::bcast, bytes, root, false, nullptr, buffer);
  }
  const Packed packed(bytes);
  if (comm.rank() == root) state.datatypes.pack(buffer, count, type, layout, packed.get());
  comm.run(Collective::bcast, bytes, root, false, nullptr, packed.get());
  if (comm.rank() != root) state.datatypes.unpack(packed.get(), buffer, count, type, layout);
}

void allgather(Library& state, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
               MPI_Datatype recvtype, tutti_comm handle) {
  Communicator& comm = communicator_of(handle);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  if (recvbuf == MPI_IN_PLACE) throw Error(Code::bad_buffer, "MPI_IN_PLACE is allowed as `sendbuf` only");
  const Layout to = state.datatypes.layout(recvtype);
  const Bytes block = bytes_of(recvcount, to, comm.size());
  const MPI_Count all = recvcount * comm.size();
  // A derived type may hold absolute addresses: for it, NULL (MPI_BOTTOM) is a buffer like any other.
  if (to.contiguous) check_buffer(recvbuf, block, "recvbuf");
  Layout from;
  if (!in_place) {
    from = state.datatypes.layout(sendtype);
    const Bytes sent = bytes_of(sendcount, from);
    if (sent != block)
      throw Error(Code::size_mismatch,
                  fmt::format("a block of {} bytes is sent and one of {} bytes received; they must be equal", sent, block));
    if (from.contiguous) check_buffer(sendbuf, block, "sendbuf");
    if (block > 0) {
      const Span out(sendbuf, sendcount, from), in(recvbuf, all, to);
      if (out.begin < in.end && in.begin < out.end)
        throw Error(Code::buffers_overlap,
                    "`sendbuf` and `recvbuf` share bytes; to send the own block of `recvbuf`, pass MPI_IN_PLACE as `sendbuf`");
    }
  }
  if (to.contiguous && (in_place || from.contiguous)) return comm.run(Collective::allgather, block, 0, in_place, sendbuf, recvbuf);

  // Derived types travel packed. Both sides are packed as one array of blocks, in place.
  const Packed packed(to.contiguous ? 0 : block * comm.size());
  std::byte* const output = to.contiguous ? static_cast<std::byte*>(recvbuf) : packed.get();
  std::byte* const own = output + block * comm.rank();
  if (in_place)
    state.datatypes.pack(static_cast<std::byte*>(recvbuf) + to.extent * recvcount * comm.rank(), recvcount, recvtype, to, own);
  else if (from.contiguous)
    std::copy_n(static_cast<const std::byte*>(sendbuf), block, own);
  else
    state.datatypes.pack(sendbuf, sendcount, sendtype, from, own);
  comm.run(Collective::allgather, block, 0, true, nullptr, output);
  if (!to.contiguous) state.datatypes.unpack(output, recvbuf, all, recvtype, to);
}

}  // namespace
}  // namespace tutti

using namespace tutti;

int tutti_barrier(tutti_comm comm) {
  return guard([&](Library&) { communicator_of(comm).run(collectives::Collective::barrier, 0, 0, false, nullptr, nullptr); });
}

int tutti_bcast(void* buffer, MPI_Count count, MPI_Datatype type, int root, tutti_comm comm) {
  return guard([&](Library& state) { broadcast(state, buffer, count, type, root, comm); });
}

int tutti_allgather(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, tutti_comm comm) {
  return guard([&](Library& state) { allgather(state, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}
