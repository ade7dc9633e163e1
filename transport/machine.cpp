// Shares the processors within a node: the rank that reads packs them, and the others unpack.
#include "transport/machine.hpp"

#include <fmt/format.h>

#include <utility>

namespace tutti::transport {

void Machine::share_by(Share share) {
  const std::lock_guard lock(mutex_);
  share_ = std::move(share);
}

Processors Machine::find_out() const {
  if (!share_) return read_processors(source_);
  std::optional<Processors> mine;
  const Words words = share_([&] {
    mine = read_processors(source_);
    return mine->problem().empty() ? mine->packed() : Words{};
  });
  if (mine) return *std::move(mine);
  if (auto theirs = Processors::unpacked(words)) return *std::move(theirs);
  return read_processors(source_);
}

const Processors& Machine::processors() {
  const std::lock_guard lock(mutex_);
  if (!processors_) {
    processors_ = find_out();
    if (!processors_->problem().empty())
      log_(fmt::format("hardware threads: one level is assumed, on which all are alike, as {}",
                       processors_->problem()));
  }
  return *processors_;
}

}  // namespace tutti::transport
