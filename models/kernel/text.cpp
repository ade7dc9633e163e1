// Reads a kernel word by word. A block is read once for each repetition. One class, as all that it
// reads shares the place in the text and what was said before.
#include "models/kernel/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "models/kernel/words.hpp"

namespace tutti::models::kernel {
namespace {

using collectives::Collective;

constexpr int kMostRanks = 1 << 20;

class Parser {
 public:
  explicit Parser(std::string_view text) : words_(words_of(text)) {}

  Kernel kernel() && {
    block(false);
    if (kernel_.ranks.empty()) bad_configuration("it does not name the number of ranks: `ranks 4`");
    for (Rank rank = 0; rank < kernel_.P(); ++rank) {
      const auto& all = kernel_.ranks[index(rank)];
      const auto does = [](const Operation& some) { return some.kind != Kind::stage; };
      if (std::none_of(all.begin(), all.end(), does))
        bad_configuration(fmt::format("rank {} has no lines", rank));
    }
    if (nodes_ > 0)
      for (Rank rank = 0; rank < kernel_.P(); ++rank)
        if (kernel_.node[index(rank)] < 0)
          bad_configuration(fmt::format("rank {} is on no node, though others are", rank));
    return std::move(kernel_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    bad_configuration(fmt::format("line {}: {}", line_, what));
  }

  bool at_end() const noexcept { return at_ == words_.size(); }
  bool is_next(std::string_view text) const noexcept {
    return !at_end() && words_[at_].text == text;
  }
  // Whether the statement goes on.
  bool goes_on() const noexcept {
    return !at_end() && !is_next(";") && !is_next("{") && !is_next("}") && !is_next("\n");
  }
  std::string_view take(std::string_view what) {
    if (!goes_on()) fail(fmt::format("{} is missing", what));
    return words_[at_++].text;
  }
  void expect(std::string_view text) {
    if (!is_next(text))
      fail(fmt::format("'{}' is missing{}", text,
                       goes_on() ? fmt::format(" before '{:.100}'", words_[at_].text) : ""));
    ++at_;
  }
  void end_of_statement() {
    if (goes_on()) fail(fmt::format("'{:.100}' is one word too many", words_[at_].text));
  }

  void block(bool nested) {
    const std::vector<Rank> ranks = ranks_;
    for (;;) {
      while (is_next(";") || is_next("\n")) ++at_;
      if (at_end() && nested) fail("'}' is missing at the end");
      if (at_end()) break;
      line_ = words_[at_].line;
      if (is_next("}") && !nested) fail("'}' ends nothing");
      if (is_next("}")) break;
      statement();
    }
    ranks_ = ranks;
  }

  void statement() {
    const std::string_view word = words_[at_++].text;
    if (word == "ranks") return declare_ranks();
    if (kernel_.ranks.empty()) fail("the first line says how many ranks there are: `ranks 4`");
    if (word == "node") return declare_node();
    if (word == "let") return declare_name();
    if (word == "unit") return declare_unit();
    if (word == "group") return declare_group();
    if (word == "speed") return declare_speed();
    if (word == "rank" || word == "all") return header(word);
    if (word == "repeat") return repeat();
    if (word == "stage") {
      for (auto& all : kernel_.ranks) add_to(all, {.kind = Kind::stage, .line = line_});
      return end_of_statement();
    }
    operation(word);
  }

  void header(std::string_view word) {
    if (word == "all")
      ranks_ = kernel_.groups.front();
    else
      ranks_ = ranks(":");
    expect(":");
  }

  void repeat() {
    const Bytes times = size(take("how many times"));
    while (is_next("\n")) ++at_;
    expect("{");
    const std::size_t begin = at_;
    if (times == 0) fail("`repeat 0` repeats nothing");
    for (Bytes i = 0; i < times; ++i) {
      at_ = begin;
      const std::size_t before = operations_;
      block(true);
      if (operations_ == before) break;  // names only: once more changes nothing
    }
    expect("}");
    end_of_statement();
  }

  void declare_ranks() {
    const auto P = parse_number(take("the number of ranks"));
    if (is_next(":")) fail("write `rank 0-3:` for what some ranks do");
    if (!P || *P < 1 || *P > kMostRanks) fail(fmt::format("write 1 to {} ranks", kMostRanks));
    if (!kernel_.ranks.empty()) fail("the number of ranks is given twice");
    kernel_.ranks.resize(index(*P));
    speed_.assign(index(*P), 1.0);
    kernel_.groups.emplace_back(index(*P));
    std::iota(kernel_.groups.front().begin(), kernel_.groups.front().end(), 0);
    end_of_statement();
  }
  void declare_node() {
    if (kernel_.node.empty()) kernel_.node.assign(kernel_.ranks.size(), -1);
    for (const Rank rank : ranks("\n")) {
      if (kernel_.node[index(rank)] >= 0) fail(fmt::format("rank {} is on a node already", rank));
      kernel_.node[index(rank)] = nodes_;
    }
    ++nodes_;
  }
  std::string new_name() {
    std::string name(take("a name"));
    const auto letter = [](char c) {
      return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    const auto digit = [](char c) { return (c >= '0' && c <= '9') || c == '-'; };
    if (!letter(name[0]) ||
        !std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); }))
      fail(fmt::format("'{:.100}' is not a name: letters, then letters, digits and '-'", name));
    expect("=");
    return name;
  }
  void declare_name() {
    const std::string name = new_name();
    values_[name] = size(take("a number or a size"));
    end_of_statement();
  }
  void declare_unit() {
    kernel_.unit = take("a name");
    const auto found = values_.find(kernel_.unit);
    if (found == values_.end() || found->second == 0)
      fail(fmt::format("no `let {:.100} = …` above gives it a size", kernel_.unit));
    kernel_.unit_bytes = found->second;
    end_of_statement();
  }
  void declare_group() {
    const std::string name = new_name();
    names_[name] = group_of(ranks("\n"));
  }
  void declare_speed() {
    const auto of = ranks("=");
    expect("=");
    const auto speed = parse_decimal(take("a number"));
    if (!speed || *speed <= 0) fail("a speed is a decimal number above 0");
    for (const Rank rank : of) speed_[index(rank)] = *speed;
    end_of_statement();
  }

  Rank rank_of(std::string_view text) const {
    const auto rank = parse_number(text);
    if (!rank) fail(fmt::format("'{:.100}' is not a rank", text));
    if (*rank < 0 || *rank >= kernel_.P())
      fail(fmt::format("there is no rank {} among {}", *rank, counted(kernel_.P(), "rank")));
    return static_cast<Rank>(*rank);
  }
  // "0-3", "8", a group; appended to `all`.
  void add_ranks(std::string_view word, std::vector<Rank>& all) const {
    const auto named = names_.find(word);
    if (named != names_.end()) {
      const auto& group = kernel_.groups[index(named->second)];
      all.insert(all.end(), group.begin(), group.end());
      return;
    }
    if (word.empty() || word[0] < '0' || word[0] > '9')
      fail(fmt::format("'{:.100}' is neither a rank nor a group", word));
    const std::size_t dash = word.find('-');
    const Rank first = rank_of(word.substr(0, dash));
    const Rank last = dash == word.npos ? first : rank_of(word.substr(dash + 1));
    if (last < first) fail(fmt::format("'{:.100}' goes backwards", word));
    for (Rank rank = first; rank <= last; ++rank) all.push_back(rank);
  }
  std::vector<Rank> ranks_in(std::string_view list) const {
    std::vector<Rank> all;
    while (!list.empty()) {
      const std::size_t comma = list.find(',');
      if (comma != 0) add_ranks(list.substr(0, comma), all);
      list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
    }
    std::vector<Rank> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) fail(fmt::format("rank {} is named twice", *twice));
    if (all.empty()) fail("ranks are missing");
    return all;
  }
  // The ranks that are named up to a word, or to the end of the statement.
  std::vector<Rank> ranks(std::string_view until) {
    std::string list;
    while (goes_on() && !is_next(until)) list += fmt::format("{},", words_[at_++].text);
    return ranks_in(list);
  }
  int group_of(const std::vector<Rank>& of) {
    auto& groups = kernel_.groups;
    const auto found = std::find(groups.begin(), groups.end(), of);
    const auto number = static_cast<int>(found - groups.begin());
    if (found == groups.end()) groups.push_back(of);
    return number;
  }

  // Errors of words.hpp get the line's number.
  template <class Read>
  auto read(const Read& number, std::string_view text) const {
    try {
      return number(text, values_);
    } catch (const Error& error) {
      fail(error.message);
    }
  }
  Bytes size(std::string_view text) const { return read(product, text); }

  void add_to(std::vector<Operation>& all, const Operation& operation) {
    if (++operations_ > kMostOperations)
      fail(fmt::format("all ranks together have more than {} operations", kMostOperations));
    all.push_back(operation);
  }
  // For each rank that the header names.
  template <class Make>
  void add(Make&& make) {
    if (ranks_.empty()) fail("no `rank 0-3:` or `all:` above says whose this is");
    for (const Rank rank : ranks_) add_to(kernel_.ranks[index(rank)], make(rank));
  }

  // The arguments behind the name: `key=value`, and before them a word.
  struct Arguments {
    std::string_view first;
    std::map<std::string_view, std::string_view> named;
  };
  Arguments arguments(std::string_view name, const std::vector<std::string_view>& keys) {
    Arguments all;
    while (goes_on()) {
      const std::string_view word = words_[at_++].text;
      if (!is_next("=")) {
        if (!all.first.empty() || !all.named.empty())
          fail(fmt::format("'{:.100}' is one word too many for {} (no blanks within sizes)", word,
                           name));
        all.first = word;
        continue;
      }
      ++at_;
      if (std::find(keys.begin(), keys.end(), word) == keys.end())
        fail(keys.empty() ? fmt::format("{} takes no {:.100}=", name, word)
                          : no_such(fmt::format("argument of {}", name), word, keys));
      if (!all.named.emplace(word, take("a value")).second)
        fail(fmt::format("{}= is given twice", word));
    }
    return all;
  }

  void operation(std::string_view word) {
    if (word == "compute") {
      const auto given = arguments(word, {});
      if (given.first.empty()) fail("compute needs a time, such as 1.5ms");
      const double takes = read(time, given.first);
      return add([&](Rank rank) {
        return Operation{.kind = Kind::compute, .line = line_, .time = takes / speed_[index(rank)]};
      });
    }
    if (word == "wait") {
      if (!arguments(word, {}).first.empty())
        fail("wait takes no argument: it waits for all messages under way");
      return add([&](Rank) { return Operation{.kind = Kind::wait, .line = line_}; });
    }
    for (const Kind kind : {Kind::send, Kind::recv, Kind::isend, Kind::irecv})
      if (word == name_of(kind)) return message(kind);
    const auto collective = collectives::collective_named(word);
    if (collective) return call(*collective);
    std::vector<std::string_view> known{"compute", "send",  "recv",  "isend", "irecv", "wait",
                                        "repeat",  "stage", "rank",  "all",   "ranks", "node",
                                        "let",     "unit",  "group", "speed"};
    for (const auto name : collectives::names_of_collectives()) known.push_back(name);
    fail(no_such("operation", word, known));
  }

  void message(Kind kind) {
    const std::string_view name = name_of(kind);
    const bool sends = kind == Kind::send || kind == Kind::isend;
    const std::string_view key = sends ? "to" : "from";
    const auto given = arguments(name, {key});
    if (given.first.empty()) fail(fmt::format("{} needs a size, such as 4KiB", name));
    const Bytes bytes = size(given.first);
    const auto peer = given.named.find(key);
    if (peer == given.named.end()) fail(fmt::format("{} needs {}=RANK", name, key));
    add([&](Rank rank) {
      const Rank other = peer_of(rank, peer->second);
      if (other == rank) fail(fmt::format("rank {} would exchange messages with itself", rank));
      return Operation{.kind = kind, .line = line_, .peer = other, .bytes = bytes};
    });
  }
  Rank peer_of(Rank rank, std::string_view text) const {
    const char sign = text[0];
    if (sign != '+' && sign != '-' && sign != '^') return rank_of(text);
    const Rank far = rank_of(text.substr(1)), P = kernel_.P();
    if (sign == '+') return far < P - rank ? rank + far : far - (P - rank);
    if (sign == '-') return rank >= far ? rank - far : P - (far - rank);
    if ((rank ^ far) >= P) fail(fmt::format("there is no rank {}", rank ^ far));
    return rank ^ far;
  }

  void call(Collective collective) {
    const std::string_view name = collectives::name_of(collective);
    std::vector<std::string_view> keys{"among", "algorithm"};
    if (is_rooted(collective)) keys.push_back("root");
    const auto given = arguments(name, keys);
    Call made;
    made.collective = collective;
    if (given.first.empty() != (collective == Collective::barrier))
      fail(fmt::format("{} {}", name,
                       given.first.empty() ? "needs a size, such as 64KiB" : "has no size"));
    if (!given.first.empty()) made.bytes = size(given.first);
    for (const auto& [key, value] : given.named) {
      if (key == "among") made.group = group_of(ranks_in(value));
      if (key == "algorithm") try {
          made.choice =
              collectives::parse_choices(fmt::format("{}={}", name, value)).at(collective);
        } catch (const Error& error) {
          fail(error.message);
        }
    }
    const auto& group = kernel_.groups[index(made.group)];
    if (const auto root = given.named.find("root"); root != given.named.end()) {
      const auto found = std::find(group.begin(), group.end(), rank_of(root->second));
      if (found == group.end())
        fail(fmt::format("the root, rank {}, does not take part", root->second));
      made.root = static_cast<Rank>(found - group.begin());
    }
    for (const Rank rank : ranks_)
      if (std::find(group.begin(), group.end(), rank) == group.end())
        fail(fmt::format("rank {} is not among the ranks of this {}", rank, name));
    auto& calls = kernel_.calls;
    const auto known = std::find(calls.begin(), calls.end(), made);
    const auto number = static_cast<int>(known - calls.begin());
    if (known == calls.end()) calls.push_back(made);
    add([&](Rank) { return Operation{.kind = Kind::collective, .line = line_, .call = number}; });
  }

  std::vector<Word> words_;
  std::size_t at_ = 0;
  int line_ = 0;
  std::vector<Rank> ranks_;  // that the next operations belong to
  std::vector<double> speed_;
  Names values_;
  std::map<std::string, int, std::less<>> names_;  // of groups
  int nodes_ = 0;
  std::size_t operations_ = 0;
  Kernel kernel_;
};

}  // namespace

Kernel parse_kernel(std::string_view text) {
  Kernel kernel = Parser(text).kernel();
  must_match(kernel);
  return kernel;
}

}  // namespace tutti::models::kernel
