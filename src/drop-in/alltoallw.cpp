// The all-to-all in which each block has a type of its own.
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "src/api/collective.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

// An array of the caller's, in the wider type; it is copied only if its own is another one.
template <class Wide, class Narrow>
class Widened {
 public:
  // `numbers` may be null. Throws std::bad_alloc.
  Widened(const Narrow* numbers, int count) {
    if constexpr (std::is_same_v<Wide, Narrow>) {
      data_ = numbers;
    } else if (numbers) {
      copy_.assign(numbers, numbers + count);
      data_ = copy_.data();
    }
  }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;
  const Wide* data() const noexcept { return data_; }

 private:
  std::vector<Wide> copy_;
  const Wide* data_ = nullptr;
};

// The blocks of one buffer.
template <class Count, class Displacement>
struct Blocks {
  // `offsets` may be null, and `counts` in a call in place. Throws std::bad_alloc.
  Blocks(const void* buffer, const Count* counts, const Displacement* offsets,
         const MPI_Datatype* types, int blocks)
      : counts_(counts, blocks),
        offsets_(offsets, blocks),
        side{.buffer = buffer,
             .counts = counts_.data(),
             .types = types,
             .offsets = offsets_.data()} {}

 private:
  const Widened<MPI_Count, Count> counts_;
  const Widened<MPI_Aint, Displacement> offsets_;

 public:
  const Side side;
};

template <class Count, class Displacement>
int alltoallw(const void* in, const Count* sends, const Displacement* from,
              const MPI_Datatype* send_types, void* out, const Count* receives,
              const Displacement* to, const MPI_Datatype* receive_types, MPI_Comm comm) {
  return take(
      TUTTI_CALL_Alltoallw, comm,
      [&](Communicator& c) -> int {
        const bool in_place = in == MPI_IN_PLACE;  // then the arrays mean nothing
        Maybe<Blocks<Count, Displacement>> sent, received;
        const int code = guard([&](Library&) {
          try {
            sent.emplace(in, in_place ? nullptr : sends, in_place ? nullptr : from, send_types,
                         c.size);
            received.emplace(out, receives, to, receive_types, c.size);
          } catch (const std::bad_alloc&) {
            communicator_of(c.tutti).refuse(Code::out_of_memory, kOutOfMemory);
            throw;
          }
        });
        if (code != TUTTI_SUCCESS) return code;
        return blocking(c.tutti, {.collective = collectives::Collective::alltoall,
                                  .by_rank = true,
                                  .send = sent->side,
                                  .receive = received->side});
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
