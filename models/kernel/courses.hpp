// A kernel under τ-Lop's algebra of whole transmissions (TAU §3.5 and A.2): which of them go
// through a channel at once, and for how many bytes. TAU's open issue (A.7) is to find that for a
// layout of processes by a program. Pure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/kernel/kernel.hpp"
#include "models/kernel/schedules.hpp"

namespace tutti::models::kernel {

// (channel, τ) → bytes: the sum of τ ∥ T^channel(bytes).
using Normal = std::map<std::pair<int, int>, Bytes>;

// In a stage, which is what stands between two words `stage` of the text, all ranks begin at once.
// A rank sends its messages one after the other, each when what it depends on has come (A1, A4).
// All transmissions through a channel advance by equally many bytes (A2). Channels do not interfere
// (A3), and each is looked at alone, as A.5 does. `node`: of each rank. Throws
// Error{bad_configuration}: a message leaves its stage, or an algorithm does not apply.
Normal courses_of(const Kernel& kernel, const std::vector<int>& node, const Choose& choose);

// "2∥T⁰(26800) + T⁰(3654)", in units of so many bytes.
std::string text_of(const Normal& normal, Bytes unit);

}  // namespace tutti::models::kernel
