// A stream of collectives that a seed decides, alike on all ranks, in the form that JOB_FORM names
// (forms.h); each result is compared with what it must be.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "job.h"
}

using Word = std::uint64_t;

// Word `i` of what `from` gives to `to` in call `call`. Sums over ranks have a closed form, modulo
// 2^64.
inline Word word(int call, int from, int to, std::size_t i) {
  const auto part = [](int n) { return static_cast<Word>(n) + 1; };
  return part(call) * 0x9E3779B97F4A7C15u + part(from) * 0xBF58476D1CE4E5B9u +
         part(to) * 0x94D049BB133111EBu + i * 0x2545F4914F6CDD1Du;
}

class Stream {
 public:
  // This rank's number in the communicator, and the number of its ranks.
  Stream(unsigned seed, tutti_comm comm, int rank, int size)
      : random_(seed), comm_(comm), rank_(rank), size_(size) {}

  int calls() const { return call_; }
  const std::string& what() const { return what_; }  // the last call
  // Makes the next call; returns its code. If that is TUTTI_SUCCESS, the result was right. If not,
  // the call's buffers have other contents by now.
  int next();

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(size_); }
  void draw();
  int run(const char* name, int code) {
    what_ = name;
    return code;
  }
  std::vector<Word> given(int to) const { return block(call_, rank_, to); }
  std::vector<Word> block(int call, int from, int to) const;
  std::vector<Word> blocks_for(bool everyone) const;
  void expect(std::size_t at, int from, int to) const;
  void expect_sum(std::size_t at, int first, int last, int to) const;
  int move(int kind);
  int reduce(int kind);

  std::mt19937 random_;
  tutti_comm comm_;
  const int rank_, size_;
  int call_ = 0, root_ = 0;
  std::size_t n_ = 0;  // words of a block
  std::vector<Word> from_, to_;
  std::string what_ = "no call";
};
