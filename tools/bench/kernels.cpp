// `tutti bench --kernels`: how fast operations are applied, here and by MPI_Reduce_local, in turn.
// Local; rank 0 alone measures.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "collectives/execution/kernels.hpp"
#include "models/platform/statistics.hpp"
#include "src/data/reduction.hpp"
#include "tools/bench/bench.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

struct Subject {
  const char* name;
  MPI_Datatype type;
};
struct Named {
  const char* name;
  MPI_Op op;
};

// One of each kind of element; other names of MPI for the same lead to the same kernels.
constexpr auto subjects = [] {
  return std::vector<Subject>{{"int8", MPI_INT8_T},
                              {"int16", MPI_INT16_T},
                              {"int32", MPI_INT32_T},
                              {"int64", MPI_INT64_T},
                              {"uint8", MPI_UINT8_T},
                              {"uint16", MPI_UINT16_T},
                              {"uint32", MPI_UINT32_T},
                              {"uint64", MPI_UINT64_T},
#ifdef MPIX_C_FLOAT16
                              {"float16", MPIX_C_FLOAT16},
#endif
                              {"float", MPI_FLOAT},
                              {"double", MPI_DOUBLE},
                              {"long double", MPI_LONG_DOUBLE},
                              {"float complex", MPI_C_FLOAT_COMPLEX},
                              {"double complex", MPI_C_DOUBLE_COMPLEX},
                              {"long dbl complex", MPI_C_LONG_DOUBLE_COMPLEX},
                              {"bool", MPI_C_BOOL},
                              {"byte", MPI_BYTE},
                              {"float int", MPI_FLOAT_INT},
                              {"double int", MPI_DOUBLE_INT},
                              {"long int", MPI_LONG_INT},
                              {"2 int", MPI_2INT},
                              {"short int", MPI_SHORT_INT},
                              {"long double int", MPI_LONG_DOUBLE_INT}};
};

constexpr auto operations = [] {
  return std::vector<Named>{{"SUM", MPI_SUM},   {"PROD", MPI_PROD},     {"MIN", MPI_MIN},
                            {"MAX", MPI_MAX},   {"LAND", MPI_LAND},     {"LOR", MPI_LOR},
                            {"LXOR", MPI_LXOR}, {"BAND", MPI_BAND},     {"BOR", MPI_BOR},
                            {"BXOR", MPI_BXOR}, {"MINLOC", MPI_MINLOC}, {"MAXLOC", MPI_MAXLOC}};
};

// MPICH 4.0 has a 16-bit float and ends the job when it is to be reduced.
bool mpi_can([[maybe_unused]] MPI_Datatype type) {
#if defined(MPIX_C_FLOAT16) && defined(MPICH_VERSION)
  return type != MPIX_C_FLOAT16;
#else
  return true;
#endif
}

struct Free {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<std::byte, Free>;

enum class Contents { ones, pairs };

// Ones: their products stay what they are. Pairs get random bytes of a positive value, as which one
// is taken is the cost of them.
AlignedMemory operand(MPI_Datatype type, Contents contents, std::size_t bytes, unsigned seed) {
  AlignedMemory memory(static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64)));
  if (!memory) throw Error(Code::out_of_memory, fmt::format("no memory for {} bytes", bytes));
  std::memset(memory.get(), 1, bytes);
  const auto put = [&](auto one) {
    for (std::size_t at = 0; at + sizeof one <= bytes; at += sizeof one)
      std::memcpy(memory.get() + at, &one, sizeof one);
  };
  std::minstd_rand random(seed);
  if (type == MPI_LONG_DOUBLE_INT)
    for (std::size_t at = 0; at + 32 <= bytes; at += 32) {
      const auto value = static_cast<long double>(random());
      std::memcpy(memory.get() + at, &value, sizeof value);
    }
  else if (contents == Contents::pairs)
    for (std::size_t i = 0; i < bytes; ++i)
      memory.get()[i] = static_cast<std::byte>(random() >> 8 & 63);
  else if (type == MPI_FLOAT || type == MPI_C_FLOAT_COMPLEX)
    put(1.0F);
  else if (type == MPI_DOUBLE || type == MPI_C_DOUBLE_COMPLEX)
    put(1.0);
  else if (type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX)
    put(1.0L);
  return memory;
}

double seconds_of(const auto& call, int calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls;
}

int calls_for(const auto& call) {
  int calls = 1;
  while (calls < (1 << 20) && seconds_of(call, calls) * calls < 100e-6) calls *= 2;
  return calls;
}

struct Pair {
  models::Median here;  // seconds a call
  std::optional<models::Median> by_mpi{};
};

Pair measure_pair(Reduction& reduction, const Layout& layout, MPI_Op op, MPI_Datatype type,
                  std::int64_t bytes, int repetitions, ScratchBuffer& operands) {
  const Bytes count = std::max<std::int64_t>(1, bytes / reduction.element());
  const auto room = static_cast<std::size_t>(std::max(reduction.element(), layout.extent) * count);
  const Contents contents = op == MPI_MINLOC || op == MPI_MAXLOC ? Contents::pairs : Contents::ones;
  const AlignedMemory left = operand(type, contents, room, 1),
                      right = operand(type, contents, room, 2);
  const AlignedMemory fresh = operand(type, contents, contents == Contents::pairs ? room : 0, 3);
  bool good = true;
  // A location applied twice decides nothing the second time: both get new operands, and both times
  // include the copy.
  const auto renew = [&] {
    if (contents == Contents::pairs) std::memcpy(right.get(), fresh.get(), room);
  };
  reduction.reserve(reduction.element() * count, operands);
  const Combine combine = reduction.combine();
  const auto here = [&] {
    renew();
    combine.apply(combine.context, left.get(), right.get(), right.get(),
                  reduction.element() * count);
  };
  const auto by_mpi = [&] {
    renew();
    good = MPI_Reduce_local(left.get(), right.get(), static_cast<int>(count), type, op) ==
               MPI_SUCCESS &&
           good;
  };
  const bool both = mpi_can(type);
  const int calls = calls_for(here), mpi_calls = both ? calls_for(by_mpi) : 0;
  std::vector<double> ours, its;
  for (int i = 0; i < repetitions; ++i) {
    ours.push_back(seconds_of(here, calls));
    if (both) its.push_back(seconds_of(by_mpi, mpi_calls));
  }
  if (!good) throw Error(Code::internal, "MPI_Reduce_local failed");
  Pair pair{models::median_of(std::move(ours))};
  if (both) pair.by_mpi = models::median_of(std::move(its));
  return pair;
}

}  // namespace

void bench_kernels(const std::vector<std::int64_t>& sizes, int repetitions) {
  ScratchPool scratch(0);
  const Datatypes datatypes(scratch);
  Operations all;
  ScratchBuffer operands(scratch);
  fmt::print(
      "kernels: {}; GB/s of one operand, in place as MPI_Reduce_local: Tutti / MPI, and the "
      "ratio;\n~: measurements cannot tell which is faster\n\n{:<7} {:<17}",
      collectives::kernel_set(), "", "");
  for (const std::int64_t bytes : sizes) fmt::print(" {:>22} ", size_text(bytes));
  fmt::print("\n");
  models::Tally tally;
  double least = HUGE_VAL;
  for (const Named& op : operations())
    for (const Subject& subject : subjects()) {
      const Layout layout = datatypes.layout(subject.type);
      Reduction reduction;
      try {
        reduction = all.find(op.op, subject.type, layout, datatypes);
      } catch (const Error&) {
        continue;  // MPI does not define it
      }
      fmt::print("{:<7} {:<17}", op.name, subject.name);
      for (const std::int64_t bytes : sizes) {
        const auto [here, by_mpi] =
            measure_pair(reduction, layout, op.op, subject.type, bytes, repetitions, operands);
        const double volume = static_cast<double>(bytes) * 1e-9;
        if (!by_mpi) {
          fmt::print(" {:>7.2f} /       -     - ", volume / here.value);
          continue;
        }
        const double ratio = by_mpi->value / here.value;
        const bool unsure = undecided(here, *by_mpi);
        fmt::print(" {:>7.2f} /{:>7.2f} {:>5.2f}{}", volume / here.value, volume / by_mpi->value,
                   ratio, unsure ? "~" : " ");
        tally.add(here, *by_mpi);
        if (!unsure) least = std::min(least, ratio);
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
  fmt::print("\nTutti is faster at {}, the MPI at {}; at {} it is undecided (~)",
             counted(tally.less(), "point"), tally.greater(), tally.unknown());
  if (const auto ratio = tally.ratio())
    fmt::print("; geometric mean of the other ratios {:.2f}, least {:.2f}", *ratio, least);
  fmt::print("\n");
}

}  // namespace tutti::tools
