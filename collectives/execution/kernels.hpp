// Reductions of predefined types by predefined operations: loops that the compiler turns into
// vector instructions, once for each instruction set of the machine family. Pure: no MPI, no
// allocation.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "base/combine.hpp"

namespace tutti::collectives {

enum class Operation : std::uint8_t {
  sum,
  product,
  minimum,
  maximum,
  logical_and,
  logical_or,
  logical_xor,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  min_location,
  max_location,
};
inline constexpr int kOperations = 12;

// Complex numbers are two numbers each; pairs are C structures of a value and an int, with their
// padding, or Fortran's of two equal numbers.
enum class Element : std::uint8_t {
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  byte,
  boolean,
  float16,
  float32,
  float64,
  long_double,
  complex32,  // of two float32
  complex64,
  complex_long_double,
  float_int,
  double_int,
  long_int,
  two_int,
  short_int,
  long_double_int,
  two_float32,
  two_float64,
};
inline constexpr int kElements = 25;

Bytes size_of(Element element) noexcept;

// The loop for this machine, as Combine::Apply, which ignores its context; null if MPI defines no
// such operation on that type (MPI 4.0 §6.9.2) or the compiler has no such type. Results depend
// neither on the instruction set nor on how the buffers lie: elements of one operand are never
// combined with each other, and no two roundings are fused into one.
Combine::Apply kernel(Operation operation, Element element) noexcept;

// The set from which kernel() takes its loops: "avx512", "avx2" or "baseline".
const char* kernel_set() noexcept;

}  // namespace tutti::collectives
