// BEO (collectives on a Beowulf cluster): the patterns of §3.3 as its text has them, and its
// equations under its own model of time.
#include <catch2/catch.hpp>

#include <cmath>

#include "tests/collectives/algorithms/pattern.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

constexpr auto sends = Said::sends, takes = Said::takes;

// "node 0 sends to node p/2 first": the broadcast of §3.3.5 from rank `root` for a power of two, by
// stages. In a stage whoever has the data sends them `distance` further.
Text binomial_broadcast(int P, Rank r, Rank root) {
  Text text;
  for (int distance = P / 2; distance >= 1; distance /= 2) {
    const int v = mod(r - root, P);
    if (v % (2 * distance) == 0) text.push_back({sends, mod(r + distance, P), root});
    if (v % (2 * distance) == distance) text.push_back({takes, mod(r - distance, P), root});
  }
  return text;
}

// The same operations backwards, with their directions turned round.
Text reversed(Text text) {
  std::reverse(text.begin(), text.end());
  for (Said& said : text) said.way = said.way == sends ? takes : sends;
  return text;
}

}  // namespace

TEST_CASE("BEO 3.3.5: repeated binary tree") {
  for (const int P : {1, 2, 4, 8, 16}) {
    INFO("P=" << P);
    const auto gathered = build_all("repeated-binary-tree", telling(Collective::allgather, P));
    const auto reduced = build_all("repeated-binary-tree", telling(Collective::reduce_scatter, P));
    for (Rank r = 0; r < P; ++r) {
      INFO("rank " << r);
      Text down, up;
      for (Rank root = 0; root < P; ++root) {
        const Text one = binomial_broadcast(P, r, root), back = reversed(one);
        down.insert(down.end(), one.begin(), one.end());
        up.insert(up.end(), back.begin(), back.end());
      }
      const auto at = index(r);
      CHECK(text_of(gathered[at]) == down);
      CHECK(text_of(reduced[at]) == up);
      CHECK(in_text_order(gathered[at], Those::sends));
      CHECK(in_text_order(reduced[at], Those::sends));
    }
  }
}

// "This node passes on this message to its rightward neighbour … As soon as the second node has
// passed the data from the first, it similarly initiates its own broadcast."
TEST_CASE("BEO 3.3.6: pipeline") {
  for (int P = 1; P <= 9; ++P) {
    INFO("P=" << P);
    const auto gathered = build_all("pipeline", telling(Collective::allgather, P));
    const auto reduced = build_all("pipeline", telling(Collective::reduce_scatter, P));
    for (Rank r = 0; r < P; ++r) {
      INFO("rank " << r);
      const Rank right = mod(r + 1, P), left = mod(r - 1, P);
      Text along, to_owner;
      for (Rank of = 0; of < P; ++of) {
        if (r != of) along.push_back({takes, left, of});
        if (right != of) along.push_back({sends, right, of});
        // the chain to owner `of` starts at its right neighbour
        if (left != of) to_owner.push_back({takes, left, of});
        if (r != of) to_owner.push_back({sends, right, of});
      }
      const auto at = index(r);
      CHECK(text_of(gathered[at]) == along);
      CHECK(text_of(reduced[at]) == to_owner);
      CHECK(in_text_order(gathered[at], Those::sends));
      CHECK(in_text_order(reduced[at], Those::sends));
    }
  }
}

// "p stages … For each stage, a node will do a series of p−1 receives … the first node to send is
// at (rank + 1) mod p and the next is at (rank + 2) mod p"
TEST_CASE("BEO 3.3.7: full fan-in") {
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    for (int P = 1; P <= 9; ++P) {
      const auto all = build_all("full-fan-in", telling(collective, P));
      for (Rank r = 0; r < P; ++r) {
        INFO(name_of(collective) << " P=" << P << " rank " << r);
        const bool gathers = collective == Collective::allgather;
        Text text;
        for (Rank stage = 0; stage < P; ++stage) {
          if (stage != r) text.push_back({sends, stage, gathers ? r : stage});
          for (int i = 1; stage == r && i < P; ++i)
            text.push_back({takes, mod(r + i, P), gathers ? mod(r + i, P) : r});
        }
        CHECK(text_of(all[index(r)]) == text);
        CHECK(in_text_order(all[index(r)], Those::all));
      }
    }
  }
}

// "The nodes start by sending their data to their successive neighbour node … The received data is
// combined and sent on"; full fan-out: "all nodes perform all their sends before any start
// receiving".
TEST_CASE("BEO 3.3.4, 3.3.7: ring and full fan-out") {
  for (int P = 1; P <= 9; ++P) {
    const auto ring = build_all("ring", telling(Collective::allgather, P));
    const auto at_once = build_all("modified-ring", telling(Collective::allgather, P));
    for (Rank r = 0; r < P; ++r) {
      INFO("P=" << P << " rank " << r);
      Text text;
      for (int step = 0; step < P - 1; ++step) {
        text.push_back({sends, mod(r + 1, P), mod(r - step, P)});
        text.push_back({takes, mod(r - 1, P), mod(r - step - 1, P)});
      }
      CHECK(text_of(ring[index(r)]) == text);
      const Schedule& mine = at_once[index(r)];
      CHECK(count(mine, StepKind::send) == P - 1);
      for (const Step& step : mine.steps)
        if (is_message(step.kind)) CHECK(step.predecessors == 0);
    }
  }
}

// "node 0 exchanges the upper half of its data with the lower half data of node 1 … exchanges
// halves with node 2 … with node 4", and back "in an inverse fashion".
TEST_CASE("BEO 3.3.2: halving and doubling start with the nearest rank, and end there") {
  constexpr Bytes n = 8 * 64;
  for (const int P : {2, 4, 8, 16, 32}) {
    const auto all = build_all(
        "halving-doubling", {{.collective = Collective::allreduce, .bytes = n, .element = 8}, P});
    for (Rank r = 0; r < P; ++r) {
      INFO("P=" << P << " rank " << r);
      std::vector<std::pair<Rank, Slice>> sent, text;
      for (const Step& step : all[index(r)].steps)
        if (step.kind == StepKind::send) sent.emplace_back(step.peer, step.source);
      Slice held{Buffer::input, 0, n};
      for (int d = 1; d < P; d *= 2) {
        held.length /= 2;
        Slice other = held;
        ((r & d) != 0 ? held : other).offset += held.length;
        text.emplace_back(r ^ d, other);
        held.buffer = Buffer::output;
      }
      for (int d = P / 2; d >= 1; d /= 2) {
        text.emplace_back(r ^ d, held);
        if ((r & d) != 0) held.offset -= held.length;
        held.length *= 2;
      }
      CHECK(sent == text);
    }
    const auto gathered = build_all("halving-doubling", allgather_of(P, n));
    for (const Schedule& schedule : gathered) {
      INFO("P=" << P << " rank " << schedule.rank);
      std::vector<std::pair<Rank, Bytes>> sent, text;
      for (const Step& step : schedule.steps)
        if (step.kind == StepKind::send) sent.emplace_back(step.peer, step.source.length);
      for (int d = 1; d < P; d *= 2) text.emplace_back(schedule.rank ^ d, n / 2);
      for (int d = P / 2; d >= 1; d /= 2)  // of all blocks what is held: P-th of each, then twice
        text.emplace_back(schedule.rank ^ d, n * (P / 2 / d));
      CHECK(sent == text);
    }
  }
  // Another number of ranks: two rounds more, nothing goes out and straight back between.
  const auto twelve = build_all(
      "halving-doubling", {{.collective = Collective::allreduce, .bytes = n, .element = 8}, 12});
  CHECK(rounds(twelve, 1) == 8);
  CHECK(messages(twelve) == 56);
}

TEST_CASE("BEO 3.3: allreduces of whole vectors follow the allgathers, in one pass") {
  constexpr Bytes m = 64;
  const std::pair<const char*, const char*> names[] = {
      {"ring-whole", "ring"},
      {"repeated-binary-tree-whole", "repeated-binary-tree"},
      {"pipeline-whole", "pipeline"},
      {"full-fan-in-whole", "full-fan-in"},
      {"full-fan-out-whole", "modified-ring"}};
  for (const auto& [whole, gather] : names) {
    for (int P = 1; P <= 9; ++P) {
      INFO(whole << " P=" << P);
      const auto reduced =
          build_all(whole, {{.collective = Collective::allreduce, .bytes = m, .element = 8}, P});
      const auto gathered = build_all(gather, allgather_of(P, m));
      for (std::size_t r = 0; r < reduced.size(); ++r)
        CHECK(text_of(reduced[r]) == text_of(gathered[r]));
      CHECK(rounds(reduced) == rounds(gathered));
      CHECK(time_of(reduced) == Approx(time_of(gathered)));
    }
  }
}

TEST_CASE("allreduces of a short vector send no empty messages") {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::allreduce) continue;
    for (const int P : {2, 3, 5, 8, 12}) {
      const Problem problem{{.collective = Collective::allreduce, .bytes = 8, .element = 8}, P};
      if (why_not(algorithm, problem, {})) continue;
      INFO(algorithm.name << " P=" << P);
      for (const Schedule& schedule : build_all(algorithm.name, problem))
        for (const Step& step : schedule.steps)
          if (is_message(step.kind)) CHECK(length_of(step) > 0);
    }
  }
}

TEST_CASE("BEO: equations 9 to 13 come out of the schedules") {
  const SplitHockney bunyip;
  for (const int n : {1, 100, 1000, 10000}) {
    const double S = bunyip.S(n), R = bunyip.R(n), message = S + R;
    for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
      const bool gathers = collective == Collective::allgather;
      for (const int P : {2, 3, 4, 5, 7, 8, 12, 16, 24, 32}) {
        INFO(name_of(collective) << " P=" << P << " n=" << n);
        const auto time = [&](const char* name) {
          return time_of(
              build_all(name, {{.collective = collective, .bytes = 8 * n, .element = 8}, P}));
        };
        CHECK(time("ring") == Approx((P - 1) * message));               // (9)
        CHECK(time("full-fan-in") == Approx(P * S + 2 * (P - 1) * R));  // (13)
        // (12): three sequences of P−1 messages; with fewer than four ranks they overlap.
        if (P >= 4) CHECK(time("pipeline") == Approx(3 * (P - 1) * message));
        if (P < 4) CHECK(time("pipeline") <= 3 * (P - 1) * message);
        if ((P & (P - 1)) != 0) continue;
        const double log_P = std::log2(P);
        const double tree = time("repeated-binary-tree");
        if (!gathers) {
          CHECK(tree == Approx(P * log_P * message));  // (11): no overlap
        } else {
          // (10) counts two receives for every broadcast, the last one too, after which nothing
          // overlaps: its tree is log2 P deep. It is a best case, met by P = 4. Two ranks have no
          // overlap at all.
          const double print = (P * log_P - (P - 1)) * S + std::min(log_P, 2.) * P * R;
          CHECK(tree == Approx(P == 2 ? print + S : print + (log_P - 2) * R));
        }
      }
    }
  }
}
