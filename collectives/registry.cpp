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
  const Bytes segment = parameters.segment / problem.element * problem.element;  // never within an element
  return segmented(Author(problem, parameters), parameters.segment > 0 ? std::max(segment, problem.element) : 0);
}

std::optional<std::string> no_fold(const Problem& problem, const Parameters&) {
  if (!problem.left_fold) return std::nullopt;
  return "it does not combine from left to right, as the setting `reproducible` demands";
}

std::optional<std::string> commutative_only(const Problem& problem, const Parameters& parameters) {
  if (problem.commutative) return no_fold(problem, parameters);
  return "it does not keep the order of the ranks, and the operation is not commutative";
}

std::optional<std::string> even_ranks(const Problem& problem, const Parameters&) {
  if (problem.P % 2 == 0) return std::nullopt;
  return fmt::format("it needs an even number of ranks, not {}", problem.P);
}

std::optional<std::string> known_counts(const Problem& problem, const Parameters&) {
  if (problem.counts_known) return std::nullopt;
  return "only the root knows the counts, and ranks that hand on would need them";
}

std::optional<std::string> equal_blocks(const Problem& problem, const Parameters&) {
  if (problem.counts.empty() && problem.receive_counts.empty()) return std::nullopt;
  return "its blocks must have one length";
}

std::optional<std::string> nodes_in_order(const Problem& problem, const Parameters&) {
  if (std::is_sorted(problem.node.begin(), problem.node.end())) return std::nullopt;
  return "the ranks of a node must follow each other";
}

std::optional<std::string> datagrams(const Problem& problem, const Parameters&) {
  if (problem.datagrams) return std::nullopt;
  return "no multicast group was joined by all ranks when Tutti started; the settings `multicast` and `transport` and the log (`log=info`) "
         "say why";
}

// collective, name, paper, summary, has_k, has_segment, has_levels, not_applicable, build
constexpr std::array kAlgorithms{
    Algorithm{Collective::barrier, "dissemination", "IB (Hoefler); OCC 4.2", "a signal to r + y(k+1)^i; k = 1: Bruck", true, false, false,
              always, barrier_dissemination},
    Algorithm{Collective::barrier, "flat-tree", "OCC 4.2", "fan-in and fan-out, the fewest signals", false, false, false, always,
              barrier_flat_tree},
    Algorithm{Collective::barrier, "binomial", "OCC 4.2; IB 5.1.3", "up and down the n-way binomial tree", true, false, false, always,
              barrier_binomial},
    Algorithm{Collective::barrier, "binary", "OCC 4.2", "up and down the binary tree", false, false, false, always, barrier_binary},
    Algorithm{Collective::barrier, "chain", "OCC 4.2", "along the chain and back", false, false, false, always, barrier_chain},
    Algorithm{Collective::barrier, "k-chain", "OCC 4.2", "along k chains and back", true, false, false, always, barrier_k_chain},
    Algorithm{Collective::barrier, "double-ring", "OCC 4.2", "a signal runs round the ring twice", false, false, false, always,
              barrier_double_ring},
    Algorithm{Collective::barrier, "recursive-doubling", "OCC 4.2", "exchanges with r ^ 2^i", false, false, false, always,
              barrier_recursive_doubling},
    Algorithm{Collective::barrier, "hierarchical", "BEO 5", "to the node's leader, across, and back", false, false, true, always,
              barrier_hierarchical},
    Algorithm{Collective::bcast, "binomial", "IB 5.1.3; OCC 4.2", "down the n-way binomial tree", true, true, false, always,
              cut<bcast_binomial>},
    Algorithm{Collective::bcast, "chain", "OCC 4.2", "from rank to rank; with segments a pipeline", false, true, false, always,
              cut<bcast_chain>},
    Algorithm{Collective::bcast, "k-chain", "OCC 4.2", "down k chains", true, true, false, always, cut<bcast_k_chain>},
    Algorithm{Collective::bcast, "binary", "OCC 4.2", "down the binary tree", false, true, false, always, cut<bcast_binary>},
    Algorithm{Collective::bcast, "linear", "OCC 4.2; IB 5.1.2", "all messages from the root", false, true, false, always,
              cut<bcast_linear>},
    Algorithm{Collective::bcast, "splitting", "IB 5.1.3", "halving of partitions", false, true, false, always, cut<bcast_splitting>},
    Algorithm{Collective::bcast, "splitted-binary", "OCC 4.2", "halves down two trees, then swapped", false, true, false, always,
              cut<bcast_splitted_binary>},
    Algorithm{Collective::bcast, "scatter-ring", "HPM [5]", "scatter, then ring allgather", false, false, false, always,
              bcast_scatter_ring},
    Algorithm{Collective::bcast, "scatter-recursive-doubling", "HPM [5]", "scatter, then recursive doubling", false, false, false, always,
              bcast_scatter_doubling},
    Algorithm{Collective::bcast, "multicast", "IB 6.7 (Siebert)",
              "datagrams to all; down the binomial tree what was lost (costs: all lost)", false, false, false, datagrams, bcast_multicast},
    Algorithm{Collective::bcast, "hierarchical", "BEO 5", "across the nodes' leaders, then within", false, true, true, always,
              cut<bcast_hierarchical>},
    Algorithm{Collective::scatter, "linear", "IB 5.1.2", "one message for each rank; ready first is served first", false, true, false,
              always, cut<scatter_linear>},
    Algorithm{Collective::scatter, "recursive-splitting", "IB 5.1.3", "halving of partitions", false, false, false, known_counts,
              scatter_splitting},
    Algorithm{Collective::scatter, "binomial", "IB 5.1.3", "the n-way binomial tree", true, false, false, known_counts, scatter_binomial},
    Algorithm{Collective::scatter, "loggp", "IB 5.1.3", "the tree that is best under LogGP", false, false, false, known_counts,
              scatter_loggp},
    Algorithm{Collective::gather, "linear", "IB 5.1.2", "one message for each rank; ready first is served first", false, true, false,
              always, cut<gather_linear>},
    Algorithm{Collective::gather, "recursive-splitting", "IB 5.1.3", "halving of partitions", false, false, false, known_counts,
              gather_splitting},
    Algorithm{Collective::gather, "binomial", "IB 5.1.3", "the n-way binomial tree", true, false, false, known_counts, gather_binomial},
    Algorithm{Collective::gather, "loggp", "IB 5.1.3", "the tree that is best under LogGP", false, false, false, known_counts,
              gather_loggp},
    Algorithm{Collective::allgather, "ring", "IB 5.3.2; BEO", "one block a round to one neighbour", false, false, false, always,
              allgather_ring},
    Algorithm{Collective::allgather, "modified-ring", "IB 5.3.2; BEO 3.3.7", "full fan-out: the own block to everybody", false, false,
              false, always, allgather_modified_ring},
    Algorithm{Collective::allgather, "recursive-doubling", "IB 5.3.2; BEO 3.3.1, 3.3.2; TAU", "exchanges with r ^ 2^i", false, false, false,
              always, allgather_recursive_doubling},
    Algorithm{Collective::allgather, "bruck", "IB 5.3.2", "to r - y(k+1)^i, all that is held", true, false, false, always, allgather_bruck},
    Algorithm{Collective::allgather, "gather-bcast", "IB 5.3.2; BEO 3.3.3", "fan-in fan-out, the fewest messages", false, false, false,
              always, allgather_gather_bcast},
    Algorithm{Collective::allgather, "gather-bcast-binomial", "IB 5.1.3; BEO 3.3.3", "up and down the n-way binomial tree", true, false,
              false, always, allgather_gather_bcast_binomial},
    Algorithm{Collective::allgather, "neighbor-exchange", "IB 5.3.2; TAU", "two blocks a round, by turns with either neighbour", false,
              false, false, even_ranks, allgather_neighbor_exchange},
    Algorithm{Collective::allgather, "dissemination", "IB 5.3.2", "to r + 2^i, all that is held", false, false, false, always,
              allgather_dissemination},
    Algorithm{Collective::allgather, "full-fan-in", "BEO 3.3.7", "P stages, receiver-ordered", false, false, false, always,
              allgather_full_fan_in},
    Algorithm{Collective::allgather, "repeated-binary-tree", "BEO 3.3.5", "P overlapped broadcasts down binary trees", false, false, false,
              always, allgather_repeated_binary_tree},
    Algorithm{Collective::allgather, "pipeline", "BEO 3.3.6", "P overlapped broadcasts along chains", false, false, false, always,
              allgather_pipeline},
    Algorithm{Collective::allgather, "hierarchical", "BEO 5", "gather within, allgather across, broadcast within", false, false, true,
              nodes_in_order, allgather_hierarchical},
    Algorithm{Collective::alltoall, "linear", "OCC 4.2", "all messages at once", false, true, false, always, cut<alltoall_linear>},
    Algorithm{Collective::alltoall, "pairwise", "OCC 4.2", "step i: to r + i, from r - i", false, false, false, always, alltoall_pairwise},
    Algorithm{Collective::alltoall, "bruck", "[BHU97]", "blocks travel bit by bit of their distance", false, false, false, equal_blocks,
              alltoall_bruck},
    Algorithm{Collective::reduce, "linear", "OCC 4.2", "the root takes all messages", false, true, false, always, cut<reduce_linear>},
    Algorithm{Collective::reduce, "chain", "OCC 4.2", "from rank to rank; with segments a pipeline", false, true, false, no_fold,
              cut<reduce_chain>},
    Algorithm{Collective::reduce, "k-chain", "OCC 4.2", "up k chains", true, true, false, no_fold, cut<reduce_k_chain>},
    Algorithm{Collective::reduce, "binomial", "OCC 4.2; IB 5.1.3", "up the n-way binomial tree", true, true, false, no_fold,
              cut<reduce_binomial>},
    Algorithm{Collective::reduce, "splitting", "IB 5.1.3", "halving of partitions, mirrored", false, true, false, no_fold,
              cut<reduce_splitting>},
    Algorithm{Collective::reduce, "binary", "OCC 4.2", "up the binary tree", false, true, false, commutative_only, cut<reduce_binary>},
    Algorithm{Collective::reduce, "reduce-scatter-gather", "OCC 4.2 (Rabenseifner)", "recursive halving, then gather", false, false, false,
              commutative_only, reduce_scatter_gather},
    Algorithm{Collective::reduce, "hierarchical", "BEO 5", "within the nodes, then across", false, true, true, commutative_only,
              cut<reduce_hierarchical>},
    Algorithm{Collective::allreduce, "recursive-doubling", "BEO 3.3.1; IB 6.7", "bi-directional exchange; k > 1: recursive multiplying",
              true, true, false, no_fold, cut<allreduce_recursive_multiplying>},
    Algorithm{Collective::allreduce, "halving-doubling", "BEO 3.3.2", "recursive halving, then recursive doubling", false, false, false,
              commutative_only, allreduce_halving_doubling},
    Algorithm{Collective::allreduce, "reduce-bcast", "BEO 3.3.3", "fan-in fan-out over the n-way binomial tree", true, true, false, no_fold,
              cut<allreduce_reduce_bcast>},
    Algorithm{Collective::allreduce, "reduce-bcast-linear", "BEO 3.3.3", "fan-in fan-out over the flat tree, the fewest messages", false,
              true, false, always, cut<allreduce_reduce_bcast_linear>},
    Algorithm{Collective::allreduce, "chain", "OCC 4.2", "along the chain and back; with segments a pipeline", false, true, false, no_fold,
              cut<allreduce_chain>},
    Algorithm{Collective::allreduce, "ring", "BEO; IB 6.7", "reduce-scatter and allgather round the ring", false, false, false,
              commutative_only, allreduce_ring},
    Algorithm{Collective::allreduce, "repeated-binary-tree", "BEO 3.3.5", "P overlapped reduces and broadcasts of pieces", false, false,
              false, commutative_only, allreduce_repeated_binary_tree},
    Algorithm{Collective::allreduce, "pipeline", "BEO 3.3.6", "the same along chains", false, false, false, commutative_only,
              allreduce_pipeline},
    Algorithm{Collective::allreduce, "full-fan-in", "BEO 3.3.7", "pieces to everybody, receiver-ordered, twice", false, false, false,
              commutative_only, allreduce_full_fan_in},
    Algorithm{Collective::allreduce, "full-fan-out", "BEO 3.3.7", "pieces to everybody at once, twice", false, false, false,
              commutative_only, allreduce_full_fan_out},
    Algorithm{Collective::allreduce, "hierarchical", "BEO 5", "reduce within, allreduce across, broadcast within", false, true, true,
              commutative_only, cut<allreduce_hierarchical>},
    Algorithm{Collective::reduce_scatter, "recursive-halving", "BEO 3.3.2", "exchanges with r ^ 2^i, half of what is left", false, false,
              false, commutative_only, reduce_scatter_halving},
    Algorithm{Collective::reduce_scatter, "ring", "BEO", "one block a round to one neighbour", false, false, false, commutative_only,
              reduce_scatter_ring},
    Algorithm{Collective::reduce_scatter, "pairwise", "BEO 3.3.7", "full fan-out: to everybody its block", false, false, false,
              commutative_only, reduce_scatter_pairwise},
    Algorithm{Collective::reduce_scatter, "full-fan-in", "BEO 3.3.7", "P stages, receiver-ordered", false, false, false, commutative_only,
              reduce_scatter_full_fan_in},
    Algorithm{Collective::reduce_scatter, "repeated-binary-tree", "BEO 3.3.5", "P overlapped reduces up binary trees", false, false, false,
              commutative_only, reduce_scatter_repeated_binary_tree},
    Algorithm{Collective::reduce_scatter, "pipeline", "BEO 3.3.6", "P overlapped reduces along chains", false, false, false,
              commutative_only, reduce_scatter_pipeline},
    Algorithm{Collective::reduce_scatter, "dissemination", "IB 5.3.2", "mirror of the dissemination allgather", false, false, false,
              commutative_only, reduce_scatter_dissemination},
    Algorithm{Collective::reduce_scatter, "reduce-scatter", "IB 6.7", "reduce to rank 0, then scatter; keeps the order of ranks", false,
              false, false, no_fold, reduce_scatter_reduce_scatter},
    Algorithm{Collective::reduce_scatter, "linear", "BEO 3.3.7", "to everybody its block, combined in the order of ranks", false, false,
              false, always, reduce_scatter_linear},
    Algorithm{Collective::scan, "linear", "IB 6.7", "from rank to rank", false, true, false, always, cut<scan_linear>},
    Algorithm{Collective::scan, "recursive-doubling", "IB 6.7", "to r + 2^i what the ranks up to here make", false, true, false, no_fold,
              cut<scan_recursive_doubling>},
    Algorithm{Collective::exscan, "linear", "IB 6.7", "from rank to rank", false, true, false, always, cut<scan_linear>},
    Algorithm{Collective::exscan, "recursive-doubling", "IB 6.7", "to r + 2^i what the ranks up to here make", false, true, false, no_fold,
              cut<scan_recursive_doubling>},
};

[[noreturn]] void bad(std::string message) { throw Error{Code::bad_configuration, std::move(message)}; }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Takes what stands before the first `separator` outside of parentheses off the front of `text`; all of it if there is none.
std::string_view next_part(std::string_view& text, char separator) {
  std::size_t at = 0;
  for (int depth = 0; at < text.size() && (depth > 0 || text[at] != separator); ++at)
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  if (at == text.size()) at = text.npos;
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return trimmed(part);
}

std::string names_of_collectives() {
  std::string names;
  for (std::size_t c = 0; c < kCollectives; ++c)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(static_cast<Collective>(c)));
  return names;
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

Choice read_choice(Collective collective, std::string_view text);

// A level of a hierarchical algorithm: a tree by its broadcast's name within, the collective's own algorithms across.
Nested read_level(const Algorithm& algorithm, std::string_view name, std::string_view value) {
  const Choice inner = read_choice(name == "within"                             ? Collective::bcast
                                   : algorithm.collective == Collective::reduce ? Collective::bcast
                                                                                : algorithm.collective,
                                   value);
  const bool datagrams = inner.algorithm->build == bcast_multicast;
  if (inner.algorithm->has_levels || inner.parameters.segment != 0 || inner.preferred || datagrams)
    bad(fmt::format("'{}={}': a level is a plain algorithm, without levels, segments, datagrams or prefer", name, value));
  return {inner.algorithm, inner.parameters.k};
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
  } else if ((name == "within" || name == "across") && algorithm.has_levels) {
    (name == "within" ? choice.parameters.within : choice.parameters.across) = read_level(algorithm, name, value);
  } else {
    const char* known = algorithm.has_levels
                            ? (algorithm.has_segment ? "the parameters within, across and segment" : "the parameters within and across")
                        : algorithm.has_k ? (algorithm.has_segment ? "the parameters k and segment" : "only the parameter k")
                                          : (algorithm.has_segment ? "only the parameter segment" : "no parameters");
    bad(fmt::format("unknown parameter '{}': {} {} has {}", text, name_of(algorithm.collective), algorithm.name, known));
  }
}

Choice read_choice(Collective collective, std::string_view text) {
  constexpr std::string_view prefer = "prefer ";
  const bool preferred = text.substr(0, prefer.size()) == prefer;
  if (preferred) text = trimmed(text.substr(prefer.size()));
  const auto open = text.find('(');
  const std::string_view name = trimmed(text.substr(0, open));
  Choice choice{find(collective, name), {}, preferred};
  if (choice.algorithm == nullptr) {
    throw Error{Code::unknown_algorithm,
                fmt::format("{0} has no algorithm '{1}'; write {0}= and one of: {2}", name_of(collective), name, names_of(collective))};
  }
  if (open == text.npos) return choice;
  std::size_t close = open;
  for (int depth = 0; close < text.size(); ++close) {
    depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
    if (depth == 0) break;
  }
  if (close == text.size()) bad(fmt::format("'{}': the closing ')' is missing; write for example bruck(k=3)", text));
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

std::string to_string(const Choice& choice) {
  std::string inside;
  if (choice.algorithm->has_k) inside = fmt::format("k={}", choice.parameters.k);
  const auto add = [&](const std::string& parameter) { inside += (inside.empty() ? "" : ",") + parameter; };
  if (choice.algorithm->has_segment && choice.parameters.segment > 0) add(fmt::format("segment={}", choice.parameters.segment));
  for (const auto& [name, level] : {std::pair{"within", choice.parameters.within}, std::pair{"across", choice.parameters.across}})
    if (choice.algorithm->has_levels && level.algorithm)
      add(fmt::format("{}={}", name, to_string({level.algorithm, {.k = level.k, .segment = 0}})));
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
                      "the collective being one of: {}",
                      whole, name, names_of_collectives()));
    }
    if (choices.count(*collective) != 0) bad(fmt::format("{} is chosen twice; leave one of the two", name));
    choices[*collective] = read_choice(*collective, trimmed(part));
  }
  return choices;
}

}  // namespace tutti::collectives
