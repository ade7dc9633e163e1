// Runs a fuzz target without a fuzzer: on each seed, then on seeds with a fixed number of mutations
// that a fixed generator makes. So every run does the same, and any compiler can build it.
//
//   replay_NAME [--only RUN] RUNS SEED_FILE…
//
// A failure ends the process; before that, the number of the run is printed.
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kLongest = 4096;  // as for libFuzzer, see fuzz.py

long current = 0;  // the run under way, for the callback

void tell_current() {
  char line[64];
  const int length = std::snprintf(line, sizeof line, "\nfailed in run %ld\n", current);
  if (write(STDERR_FILENO, line, static_cast<std::size_t>(length)) < 0) _exit(1);
}

void tell_and_abort(int) {
  tell_current();
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

// Changes inputs. Not std::uniform_int_distribution: its results differ between C++ libraries.
class Mutator {
 public:
  Mutator(const std::vector<Bytes>& seeds, long run)
      : seeds_(seeds), random_(static_cast<std::uint64_t>(run)) {}

  Bytes make() {
    Bytes input = seeds_[below(seeds_.size())];
    for (std::size_t left = 1 + below(8); left > 0; --left) change(input);
    if (input.size() > kLongest) input.resize(kLongest);
    return input;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void change(Bytes& input) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t rest = input.size() - at;
    switch (below(8)) {
      case 0:
        if (rest > 0) input[at] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 1:
        if (rest > 0) input[at] = static_cast<std::uint8_t>(below(256));
        break;
      case 2: {  // an integer at a limit
        static constexpr std::array<std::int64_t, 10> kLimits{
            0, 1, -1, 127, 255, 32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
        const std::int64_t value = kLimits[below(kLimits.size())];
        const std::size_t bytes = std::min(rest, std::size_t{1} << below(4));
        if (bytes > 0) std::memcpy(&input[at], &value, bytes);
        break;
      }
      case 3: insert(input, at, {static_cast<std::uint8_t>(below(256))}); break;
      case 4:
        input.erase(place(input, at), place(input, at + below(std::min(rest, kMost) + 1)));
        break;
      case 5: insert(input, at, part(input)); break;
      case 6: insert(input, at, part(seeds_[below(seeds_.size())])); break;
      default: {  // a digit for a digit, where the input is text
        for (std::size_t i = at; i < input.size(); ++i)
          if (input[i] >= '0' && input[i] <= '9') {
            input[i] = static_cast<std::uint8_t>("0123456789-."[below(12)]);
            break;
          }
      }
    }
  }
  static Bytes::iterator place(Bytes& input, std::size_t at) {
    return input.begin() + static_cast<std::ptrdiff_t>(at);
  }
  static void insert(Bytes& input, std::size_t at, const Bytes& what) {
    input.insert(place(input, at), what.begin(), what.end());
  }
  Bytes part(const Bytes& of) {
    const std::size_t from = below(of.size() + 1);
    const auto begin = of.begin() + static_cast<std::ptrdiff_t>(from);
    return {begin,
            begin + static_cast<std::ptrdiff_t>(below(std::min(of.size() - from, kMost) + 1))};
  }

  static constexpr std::size_t kMost = 64;  // bytes in one change

  const std::vector<Bytes>& seeds_;
  std::mt19937_64 random_;
};

long number(const char* text) {
  long value = -1;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  std::signal(SIGABRT, tell_and_abort);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(tell_current);
  const bool one = argc > 2 && std::strcmp(argv[1], "--only") == 0;
  const int first = one ? 3 : 1;
  const long runs = argc > first ? number(argv[first]) : -1;
  std::vector<Bytes> seeds;
  for (int i = first + 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (runs < 0 || seeds.empty()) {
    std::fputs("usage: replay_NAME [--only RUN] RUNS SEED_FILE...\n", stderr);
    return 2;
  }
  const long all = static_cast<long>(seeds.size()) + runs;
  for (current = one ? number(argv[2]) : 0; current < all; ++current) {
    const auto index = static_cast<std::size_t>(current);
    const Bytes input = index < seeds.size() ? seeds[index] : Mutator(seeds, current).make();
    LLVMFuzzerTestOneInput(input.data(), input.size());
    if (one) break;
  }
  std::printf("%ld runs of %zu seeds\n", one ? 1 : all, seeds.size());
  return 0;
}
