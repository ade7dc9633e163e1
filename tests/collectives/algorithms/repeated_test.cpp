// BEO's repeated operations (collectives on a Beowulf cluster, §3.3): the patterns of allgathers,
// reduce-scatters and allreduces as its text has them, and its equations under its own model of
// time.
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

// The operations backwards, with their directions turned round.
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
