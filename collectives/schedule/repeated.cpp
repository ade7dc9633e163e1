// Joins the schedules of several calls of one collective that follow each other.
#include "collectives/schedule/repeated.hpp"

#include <map>
#include <utility>

#include "collectives/schedule/builder.hpp"

namespace tutti::collectives {
namespace {

// Each call's messages behind those of the calls before it. Builder counts them in the order of
// steps, which need not be the author's: a schedule that was cut into segments has others between.
void number_messages(Schedule& all, const Schedule& one) {
  std::map<std::pair<Rank, bool>, Ordinal> in_one;  // by peer and direction
  std::vector<const Step*> messages;
  for (const Step& step : one.steps)
    if (is_message(step.kind)) {
      messages.push_back(&step);
      ++in_one[{step.peer, receives(step.kind)}];
    }
  std::size_t at = 0;
  for (Step& step : all.steps)
    if (is_message(step.kind)) {
      const auto call = static_cast<Ordinal>(at / messages.size());
      step.ordinal =
          messages[at % messages.size()]->ordinal + call * in_one[{step.peer, receives(step.kind)}];
      ++at;
    }
}

}  // namespace

Schedule repeated(const Schedule& one, int calls) {
  const UserBuffers buffers{
      .input = one.input_bytes, .output = one.output_bytes, .in_place = one.in_place};
  Builder builder(one.P, one.rank, buffers);
  for (int call = 0; call < calls; ++call) {
    builder.round();
    builder.play(one, builder.input(), builder.output());
  }
  Schedule all = builder.finish();
  number_messages(all, one);
  return all;
}

}  // namespace tutti::collectives
