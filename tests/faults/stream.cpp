#include "stream.hpp"

#include <algorithm>

extern "C" {
#include "forms.h"
}

namespace {

constexpr std::size_t kLengths[] = {0, 1, 1, 8, 100, 129, 1000, 3000, 20000, 70000};
constexpr std::size_t kMostWords = 1 << 18;  // of all blocks of a rank

}  // namespace

std::vector<Word> Stream::block(int call, int from, int to) const {
  std::vector<Word> words(n_);
  for (std::size_t i = 0; i < n_; ++i) words[i] = word(call, from, to, i);
  return words;
}

std::vector<Word> Stream::blocks_for(bool everyone) const {
  std::vector<Word> all;
  for (int r = 0; everyone && r < size_; ++r) {
    const std::vector<Word> one = block(call_, rank_, r);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

void Stream::expect(std::size_t at, int from, int to) const {
  for (std::size_t i = 0; i < n_; ++i)
    CHECK(to_[at + i] == word(call_, from, to, i),
          "WRONG DATA: call %d, %s of %zu words, is a success; word %zu of rank %d's is wrong",
          call_, what_.c_str(), n_, i, from);
}

void Stream::expect_sum(std::size_t at, int first, int last, int to) const {
  for (std::size_t i = 0; i < n_; ++i) {
    Word sum = 0;
    for (int r = first; r <= last; ++r) sum += word(call_, r, to, i);
    CHECK(to_[at + i] == sum, "WRONG DATA: call %d, %s of %zu words, is a success; word %zu is not",
          call_, what_.c_str(), n_, i);
  }
}

void Stream::draw() {
  n_ = std::min(kLengths[random_() % std::size(kLengths)], kMostWords / ranks());
  root_ = static_cast<int>(random_() % ranks());
}

int Stream::next() {
  ++call_;
  draw();
  const int kind = static_cast<int>(random_() % 11);
  to_.assign(n_ * ranks(), 0xDEAD);
  from_.clear();
  const int code = kind < 6 ? move(kind) : reduce(kind - 6);
  // The program goes on, with both buffers: who reads them now gets nothing of use.
  if (code != TUTTI_SUCCESS)
    for (auto* const buffer : {&from_, &to_}) std::fill(buffer->begin(), buffer->end(), 0xBDBD);
  return code;
}

int Stream::move(int kind) {
  const auto count = static_cast<MPI_Count>(n_);
  const bool at_root = rank_ == root_;
  const auto type = MPI_UINT64_T;
  int code = TUTTI_SUCCESS;
  switch (kind) {
    case 0: return run("barrier", tutti_barrier(comm_));
    case 1: {
      if (at_root) to_ = given(root_);
      to_.resize(n_ * ranks());
      code = run("bcast", tutti_bcast(to_.data(), count, type, root_, comm_));
      if (code == TUTTI_SUCCESS) expect(0, root_, root_);
      return code;
    }
    case 2: {
      from_ = blocks_for(at_root);
      code = run("scatter",
                 tutti_scatter(from_.data(), count, type, to_.data(), count, type, root_, comm_));
      if (code == TUTTI_SUCCESS) expect(0, root_, rank_);
      return code;
    }
    case 3: {
      from_ = given(root_);
      code = run("gather",
                 tutti_gather(from_.data(), count, type, to_.data(), count, type, root_, comm_));
      for (int r = 0; r < size_ && at_root && code == TUTTI_SUCCESS; ++r)
        expect(n_ * static_cast<std::size_t>(r), r, root_);
      return code;
    }
    case 4: {
      from_ = given(0);
      code = run("allgather",
                 tutti_allgather(from_.data(), count, type, to_.data(), count, type, comm_));
      for (int r = 0; r < size_ && code == TUTTI_SUCCESS; ++r)
        expect(n_ * static_cast<std::size_t>(r), r, 0);
      return code;
    }
    default: {
      from_ = blocks_for(true);
      code = run("alltoall",
                 tutti_alltoall(from_.data(), count, type, to_.data(), count, type, comm_));
      for (int r = 0; r < size_ && code == TUTTI_SUCCESS; ++r)
        expect(n_ * static_cast<std::size_t>(r), r, rank_);
      return code;
    }
  }
}

int Stream::reduce(int kind) {
  const auto count = static_cast<MPI_Count>(n_);
  const auto type = MPI_UINT64_T;
  from_ = kind == 2 ? blocks_for(true) : given(0);
  Word* const to = to_.data();
  int code = TUTTI_SUCCESS;
  switch (kind) {
    case 0:
      code = run("reduce", tutti_reduce(from_.data(), to, count, type, MPI_SUM, root_, comm_));
      if (code == TUTTI_SUCCESS && rank_ == root_) expect_sum(0, 0, size_ - 1, 0);
      return code;
    case 1:
      code = run("allreduce", tutti_allreduce(from_.data(), to, count, type, MPI_SUM, comm_));
      if (code == TUTTI_SUCCESS) expect_sum(0, 0, size_ - 1, 0);
      return code;
    case 2:
      code = run("reduce_scatter_block",
                 tutti_reduce_scatter_block(from_.data(), to, count, type, MPI_SUM, comm_));
      if (code == TUTTI_SUCCESS) expect_sum(0, 0, size_ - 1, rank_);
      return code;
    case 3:
      code = run("scan", tutti_scan(from_.data(), to, count, type, MPI_SUM, comm_));
      if (code == TUTTI_SUCCESS) expect_sum(0, 0, rank_, 0);
      return code;
    default:
      code = run("exscan", tutti_exscan(from_.data(), to, count, type, MPI_SUM, comm_));
      if (code == TUTTI_SUCCESS && rank_ > 0) expect_sum(0, 0, rank_ - 1, 0);
      return code;
  }
}
