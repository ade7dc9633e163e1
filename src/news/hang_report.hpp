// Why a call takes long, in words: what it is, for whom it waits, and what those have said last.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/channel.hpp"
#include "src/news/agreement.hpp"

namespace tutti {

// The communicator with that identifier; null: this rank has none.
using FindAgreement = std::function<const Agreement*(CommunicatorId)>;

// The end of what is said of a rank that waits for long: the section says what to do.
constexpr std::string_view kWhereToRead = ". See HANGS in tutti(1)";

// A time for people: "10.2 s". Throws std::bad_alloc.
std::string seconds(Agreement::Time::duration time);

struct Interval {
  Agreement::Time since, now;
  std::chrono::milliseconds probes{};  // between two
};
// The end of a sentence that begins with the rank: "has been in call 4 of communicator `solver`
// (allreduce, 800 bytes) for 10 s. It waits for rank 2, which …. See HANGS in tutti(1)". Throws
// std::bad_alloc.
std::string why_it_hangs(const Agreement& agreement, const OpenCall& call,
                         std::vector<protocols::Channel*> awaited, const Interval& waited,
                         const FindAgreement& find);

}  // namespace tutti
