// Keeps the calls that this rank and the other members are in.
#include "src/news/standings.hpp"

#include <algorithm>
#include <new>

#include "src/news/call_words.hpp"

namespace tutti {

protocols::Standing Standings::mine(const OpenCall* in) const noexcept {
  protocols::Standing mine{.communicator = members_.id(),
                           .calls = static_cast<CollectiveNumber>(count_.begun())};
  const collectives::Task* const task = in ? calls_.task_of(in->number()) : nullptr;
  if (task) {
    mine.in = members_.id();
    mine.call = static_cast<CollectiveNumber>(count_.of(in->number()) - 1);
    mine.asked = asked_of(count_.checked() ? *count_.checked() : *task, members_.rank());
  }
  return mine;
}

void Standings::hear(const protocols::Standing& standing, int from, Time now) noexcept {
  const auto same = [&](const Said& said) { return said.member == from; };
  if (const auto place = std::ranges::find_if(said_, same); place != said_.end()) {
    *place = {from, standing, now};
    return;
  }
  try {
    said_.push_back({from, standing, now});
  } catch (const std::bad_alloc&) {  // then people hear less of it
  }
}

const Standings::Said* Standings::said(int member) const noexcept {
  const auto place =
      std::ranges::find_if(said_, [&](const Said& said) { return said.member == member; });
  return place != said_.end() ? &*place : nullptr;
}

}  // namespace tutti
