// A part of a sparse shared file, mapped. Set-up regime.
#pragma once

#include <cstddef>
#include <utility>

namespace tutti::transport::shm {

class Mapping {
 public:
  Mapping() = default;
  // Maps `bytes` of the file from `offset` on, a multiple of the page size. Pages that the file
  // has not allocated stay so until they are touched, even in a program that locks all its future
  // memory (mlockall), and in core dumps. Throws Error{out_of_memory}.
  Mapping(int file, std::size_t offset, std::size_t bytes);
  ~Mapping();
  Mapping(Mapping&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* begin() const noexcept { return begin_; }  // null: nothing is mapped

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tutti::transport::shm
