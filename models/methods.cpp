// Computes LogGP's parameters from times, method by method.
#include "models/methods.hpp"

namespace tutti::models {
namespace {

ByMethod culler(const MethodTimes& t) {
  const double o_r = t.delayed_round_trip - t.delay - t.few;
  return {.whose = "Culler et al.",
          .o_s = t.few,
          .o_r = o_r,
          .g = t.many,
          .L = t.round_trip / 2 - t.few - o_r};
}

ByMethod kielmann(const MethodTimes& t) {
  return {.whose = "Kielmann et al.",
          .o_s = t.send,
          .o_r = t.receive,
          .g = t.answered,
          .L = t.empty_round_trip / 2 - t.answered};
}

// A pause counts from where it does not fit into the gap beside the overhead any more: beyond it a
// message takes o + pause, so that o is the gap less the pause at which the two lines meet.
ByMethod bell(const MethodTimes& t) {
  ByMethod all{.whose = "Bell et al.",
               .o_s = t.paused_sends - t.pause,
               .o_r = t.paused_receives - t.pause,
               .g = t.window,
               .L = t.round_trip / 2};
  if (t.longest > t.least)
    all.G = (t.longest_window - t.window) / static_cast<double>(t.longest - t.least);
  return all;
}

ByMethod hoefler(const MethodTimes& t) {
  return {.whose = "Hoefler et al.",
          .o_s = t.overhead,
          .o_r = t.overhead,
          .g = t.gap,
          .L = t.round_trip / 2,
          .G = t.gap_per_byte};
}

}  // namespace

std::vector<ByMethod> by_methods(const MethodTimes& times) {
  return {culler(times), kielmann(times), bell(times), hoefler(times)};
}

}  // namespace tutti::models
