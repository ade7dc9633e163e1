// Reads --mapping, words or a file, into the node of each rank.
#include "tools/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "tools/parameters.hpp"

namespace tutti::tools {
namespace {

constexpr int kNowhere = -1;
constexpr std::string_view kBetween = " \t\r,";

struct Word {
  std::string_view text;
  models::Layout layout;
};
constexpr std::array kWords{Word{"blocks", models::Layout::blocks},
                            Word{"in-turn", models::Layout::in_turn},
                            Word{"shuffled", models::Layout::shuffled}};
constexpr std::string_view kSeeded = "shuffled:";

// A rank, or the first and the last one of several.
class Reader {
 public:
  explicit Reader(int P) : node_(index(P), kNowhere), line_of_(index(P)) {}

  void read_line(std::string_view line, int number) {
    line = line.substr(0, line.find('#'));
    bool any = false;
    while (!line.empty()) {
      const auto begin = line.find_first_not_of(kBetween);
      if (begin == line.npos) break;
      line.remove_prefix(begin);
      const std::string_view word = line.substr(0, line.find_first_of(kBetween));
      line.remove_prefix(word.size());
      put(word, number);
      any = true;
    }
    if (any) ++nodes_;
  }

  std::vector<int> nodes() && {
    const auto missing = std::find(node_.begin(), node_.end(), kNowhere);
    if (missing != node_.end())
      bad_configuration(fmt::format("rank {} is on no node; there are {} ranks",
                                    missing - node_.begin(), node_.size()));
    return std::move(node_);
  }

 private:
  void put(std::string_view word, int line) {
    const std::size_t dash = word.find('-');
    const auto first = parse_number(word.substr(0, dash));
    const auto last = dash == word.npos ? first : parse_number(word.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first)
      bad_configuration(
          fmt::format("line {}: '{:.200}' is neither a rank nor a range such as 0-3", line, word));
    const auto P = static_cast<std::int64_t>(node_.size());
    if (*last >= P)
      bad_configuration(fmt::format("line {}: there is no rank {} among {} ranks", line, *last, P));
    for (Rank rank = static_cast<Rank>(*first); rank <= *last; ++rank) {
      if (node_[index(rank)] != kNowhere)
        bad_configuration(line_of_[index(rank)] == line
                              ? fmt::format("line {}: rank {} is named twice", line, rank)
                              : fmt::format("line {}: rank {} is named in line {} already", line,
                                            rank, line_of_[index(rank)]));
      node_[index(rank)] = nodes_;
      line_of_[index(rank)] = line;
    }
  }

  std::vector<int> node_, line_of_;
  int nodes_ = 0;
};

}  // namespace

std::vector<int> parse_mapping(std::string_view text, int P) {
  Reader reader(P);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    reader.read_line(text.substr(0, end), number);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return std::move(reader).nodes();
}

std::optional<NamedMapping> named_mapping(std::string_view mapping) {
  for (const Word& word : kWords)
    if (mapping == word.text) return NamedMapping{word.layout};
  if (!mapping.starts_with(kSeeded)) return {};
  const auto seed = parse_number(mapping.substr(kSeeded.size()));
  if (!seed || *seed < 0)
    bad_configuration(fmt::format(
        "--mapping {:.200}: the seed is a number from 0 on, as in shuffled:7", mapping));
  return NamedMapping{models::Layout::shuffled, static_cast<std::uint64_t>(*seed)};
}

std::string to_string(const NamedMapping& mapping) {
  const auto* const word =
      std::ranges::find(kWords, mapping.layout, [](const Word& one) { return one.layout; });
  if (mapping.seed == models::kUsualSeed) return std::string(word->text);
  return fmt::format("{}:{}", word->text, mapping.seed);
}

void require_sockets(int sockets, const models::Platform& platform) {
  if (sockets <= 1 || platform.between_sockets) return;
  bad_configuration(fmt::format(
      "--sockets: the parameters {:.200} say nothing of messages between sockets: "
      "--set between_sockets.L=0.5 says in what they differ from those within one, or a file has "
      "them as between_sockets",
      platform.name));
}

std::vector<int> nodes_by_mapping(const std::string& mapping, int P, int ranks_per_node) {
  const auto named = named_mapping(mapping);
  if (!named) try {
      return parse_mapping(parameters_text(mapping), P);
    } catch (const Error& error) {
      bad_configuration(fmt::format("--mapping {:.200}: {}", mapping, error.message));
    }
  return models::nodes_of(named->layout, P, ranks_per_node, named->seed);
}

}  // namespace tutti::tools
