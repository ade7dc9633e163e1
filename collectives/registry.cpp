// The one table of all algorithms, and the reader of the user's choice. Pure.
#include "collectives/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "collectives/algorithms/algorithms.hpp"
#include "collectives/segmented.hpp"

namespace tutti::collectives {
namespace {

constexpr int kLargestK = 4096;

std::optional<std::string> always(const Problem&, const Parameters&) { return std::nullopt; }

// The author's whole messages, cut into the segments of the parameters.
template <auto Author>
Schedule cut(const Problem& problem, const Parameters& parameters) {
  return segmented(Author(problem, parameters), parameters.segment);
}

constexpr auto barrier = Collective::barrier;
constexpr auto bcast = Collective::bcast;
constexpr auto allgather = Collective::allgather;

// collective, name, paper, summary, has_k, has_segment, not_applicable, build
constexpr std::array kAlgorithms{
    Algorithm{barrier, "dissemination", "IB (Hoefler); OCC", "ceil(log_{k+1} P) rounds of k signals a rank", true, false, always,
              barrier_dissemination},
    Algorithm{barrier, "flat-tree", "OCC 4.2", "2 rounds, 2(P-1) signals in all: the fewest", false, false, always, barrier_flat_tree},
    Algorithm{bcast, "binomial", "IB 5.1.3; OCC 4.2", "ceil(log_{k+1} P) rounds, P-1 messages of m bytes", true, true, always,
              cut<bcast_binomial>},
    Algorithm{bcast, "chain", "OCC 4.2", "P-2+n_s rounds of one segment: large messages", false, true, always, cut<bcast_chain>},
    Algorithm{bcast, "linear", "OCC 4.2; IB 5.1.2", "1 round, the root sends all P-1 messages", false, true, always, cut<bcast_linear>},
    Algorithm{allgather, "ring", "IB 5.3.2; BEO", "P-1 rounds of one block, to one neighbour", false, false, always, allgather_ring},
    Algorithm{allgather, "modified-ring", "IB 5.3.2; BEO 3.3.7", "1 round of P-1 blocks, nothing forwarded", false, false, always,
              allgather_modified_ring},
    Algorithm{allgather, "recursive-doubling", "IB 5.3.2; BEO; TAU", "log2 P rounds (+2 where P is no power of two)", false, false, always,
              allgather_recursive_doubling},
    Algorithm{allgather, "bruck", "IB 5.3.2", "ceil(log_{k+1} P) rounds of k messages a rank", true, false, always, allgather_bruck},
    Algorithm{allgather, "gather-bcast", "IB 5.3.2; BEO", "2 rounds, 2(P-1) messages in all: the fewest", false, false, always,
              allgather_gather_bcast},
    Algorithm{allgather, "gather-bcast-binomial", "IB 5.1.3; BEO", "2 ceil(log_{k+1} P) rounds, 2(P-1) messages in all", true, false,
              always, allgather_gather_bcast_binomial},
};

constexpr std::array kCollectives{std::pair{barrier, std::string_view{"barrier"}}, std::pair{bcast, std::string_view{"bcast"}},
                                  std::pair{allgather, std::string_view{"allgather"}}};

[[noreturn]] void bad(std::string message) { throw Error{Code::bad_configuration, std::move(message)}; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Takes what stands before the first `separator` off the front of `text`; all of it if there is none.
std::string_view next_part(std::string_view& text, char separator) {
  const auto at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return trimmed(part);
}

std::string names_of(Collective collective) {
  std::string names;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.collective == collective) names += fmt::format("{}{}", names.empty() ? "" : ", ", algorithm.name);
  }
  return names;
}

// A decimal number, with a suffix k, M or G of powers of 1024 if `suffixes`; -1: it is none.
std::int64_t number(std::string_view text, bool suffixes) {
  std::int64_t value = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || value < 0) return -1;
  const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  if (suffix.empty()) return value;
  int shift = 0;
  if (suffix == "k" || suffix == "K") shift = 10;
  if (suffix == "M") shift = 20;
  if (suffix == "G") shift = 30;
  if (!suffixes || shift == 0 || value > (std::numeric_limits<std::int64_t>::max() >> shift)) return -1;
  return value << shift;
}

void read_parameter(std::string_view text, Choice& choice) {
  std::string_view rest = text;
  const std::string_view name = next_part(rest, '='), value = trimmed(rest);
  const Algorithm& algorithm = *choice.algorithm;
  if (name == "k" && algorithm.has_k) {
    const std::int64_t k = number(value, false);
    if (k < 1 || k > kLargestK) bad(fmt::format("'{}': k is a number from 1 to {}; write for example k=3", text, kLargestK));
    choice.parameters.k = static_cast<int>(k);
  } else if (name == "segment" && algorithm.has_segment) {
    choice.parameters.segment = number(value, true);
    if (choice.parameters.segment < 0) {
      bad(
          fmt::format("'{}': a segment is a number of bytes, with k, M or G if you like; write for example segment=64k, "
                      "or segment=0 for whole messages",
                      text));
    }
  } else {
    const char* known = algorithm.has_k ? (algorithm.has_segment ? "the parameters k and segment" : "only the parameter k")
                                        : (algorithm.has_segment ? "only the parameter segment" : "no parameters");
    bad(fmt::format("unknown parameter '{}': {} {} has {}", text, name_of(algorithm.collective), algorithm.name, known));
  }
}

Choice read_choice(Collective collective, std::string_view text) {
  const auto open = text.find('(');
  const std::string_view name = trimmed(text.substr(0, open));
  Choice choice{find(collective, name), {}};
  if (choice.algorithm == nullptr) {
    throw Error{Code::unknown_algorithm,
                fmt::format("{0} has no algorithm '{1}'; write {0}= and one of: {2}", name_of(collective), name, names_of(collective))};
  }
  if (open == text.npos) return choice;
  const auto close = text.find(')', open);
  if (close == text.npos) bad(fmt::format("'{}': the closing ')' is missing; write for example bruck(k=3)", text));
  if (close + 1 != text.size())
    bad(fmt::format("'{}': '{}' after the ')' means nothing; separate choices by ';'", text, text.substr(close + 1)));
  std::string_view inside = text.substr(open + 1, close - open - 1);
  while (!inside.empty()) read_parameter(next_part(inside, ','), choice);
  return choice;
}

}  // namespace

std::span<const Algorithm> algorithms() noexcept { return kAlgorithms; }

const Algorithm* find(Collective collective, std::string_view name) noexcept {
  const auto it = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                               [&](const Algorithm& algorithm) { return algorithm.collective == collective && algorithm.name == name; });
  return it == kAlgorithms.end() ? nullptr : &*it;
}

std::string_view name_of(Collective collective) noexcept {
  for (const auto& [value, name] : kCollectives) {
    if (value == collective) return name;
  }
  return "?";
}

std::optional<Collective> collective_named(std::string_view name) noexcept {
  for (const auto& [value, its_name] : kCollectives) {
    if (its_name == name) return value;
  }
  return std::nullopt;
}

std::string to_string(const Choice& choice) {
  std::string inside;
  if (choice.algorithm->has_k) inside = fmt::format("k={}", choice.parameters.k);
  if (choice.algorithm->has_segment && choice.parameters.segment > 0) {
    inside += fmt::format("{}segment={}", inside.empty() ? "" : ",", choice.parameters.segment);
  }
  return inside.empty() ? std::string{choice.algorithm->name} : fmt::format("{}({})", choice.algorithm->name, inside);
}

std::map<Collective, Choice> parse_choices(std::string_view text) {
  std::map<Collective, Choice> choices;
  while (!text.empty()) {
    std::string_view part = next_part(text, ';');
    if (part.empty()) continue;
    const std::string_view whole = part;
    const std::string_view name = next_part(part, '=');
    const auto collective = collective_named(name);
    if (!collective) {
      bad(
          fmt::format("'{}': there is no collective '{}'; write for example allgather=bruck(k=3);bcast=chain(segment=64k), "
                      "the collective being barrier, bcast or allgather",
                      whole, name));
    }
    if (choices.count(*collective) != 0) bad(fmt::format("{} is chosen twice; leave one of the two", name));
    choices[*collective] = read_choice(*collective, trimmed(part));
  }
  return choices;
}

}  // namespace tutti::collectives
