// Buffers of a collective as a program may have them: with gaps, or as schedules see them.
#pragma once

#include <optional>

#include "collectives/execution/run.hpp"
#include "tests/collectives/reference.hpp"
#include "tests/typed_memory.hpp"

namespace tutti::tests {

class Scattered {
 public:
  // Has the values of `buffers`, which must outlive it. Without gaps it is those.
  Scattered(Buffers& buffers, bool gaps) : buffers_(buffers) {
    if (gaps && !buffers.input.empty()) spread(input_, buffers.input, false);
    if (gaps && !buffers.output.empty()) spread(output_, buffers.output, true);
  }
  void start(collectives::Run& run, const MessageName& name, const Combine& combine) {
    run.start(input_ ? input_->room() : buffers_.input.data(),
              output_ ? output_->room() : buffers_.output.data(), name, combine,
              {input_ ? input_->view() : nullptr, output_ ? output_->view() : nullptr});
  }
  // Brings the output to `buffers`. false: a byte between its elements has changed.
  bool collect() {
    if (!output_) return true;
    buffers_.output = output_->values();
    return output_->gaps_are_untouched();
  }
  // As Buffers::poison(). The rooms serve other calls.
  void poison() {
    buffers_.poison();
    for (auto* const typed : {&input_, &output_}) {
      if (!*typed) continue;
      (*typed)->fill(std::byte{0xBD});
      std::fill_n((*typed)->room(), (*typed)->view()->size(), std::byte{0xBD});
    }
  }

 private:
  static void spread(std::optional<TypedMemory>& typed, const std::vector<std::byte>& values,
                     bool backwards) {
    typed.emplace(static_cast<Bytes>(values.size()), 24, backwards);
    typed->set(values);
  }
  Buffers& buffers_;
  std::optional<TypedMemory> input_, output_;
};

}  // namespace tutti::tests
