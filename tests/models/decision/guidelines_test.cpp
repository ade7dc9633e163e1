// Self-consistent performance guidelines (Träff, Gropp, Thakur): what is chosen for a collective
// takes no longer than what is chosen for others of which it can be composed, no longer for less
// data or fewer nodes, and at most twice as long for twice the data.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/decision/decisions.hpp"
#include "models/decision/shipped.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;

namespace {

struct Shape {
  int nodes, each;
  int P() const noexcept { return nodes * each; }
  friend auto operator<=>(const Shape&, const Shape&) = default;
};

constexpr Shape kShapes[] = {{8, 1}, {64, 1},  {1000, 1}, {1, 16}, {1, 64},
                             {4, 4}, {16, 16}, {8, 64},   {125, 8}};
constexpr Bytes kSizes[] = {8, 256, 4096, 65536, 1 << 20, 4 << 20};

// Choices do not differ for 2 %, and borders between them are found to a 64th of their size.
constexpr double kTolerance = 1.1;

// The latency of what is chosen, in us.
double time_of(Collective collective, Shape shape, Bytes bytes) {
  static auto& all = *new std::map<Shape, Decisions>;
  const Facts facts{shape.P(), shape.nodes, shape.each};
  Decisions& decisions = all.try_emplace(shape, *find_shipped("hardware"), facts).first->second;
  const Choice choice = decisions.select({{.collective = collective, .bytes = bytes}, shape.P()});
  return estimate_of(choice, bytes, decisions.platform(), facts).latency;
}

double combining(Bytes bytes) {
  return static_cast<double>(bytes) * find_shipped("hardware")->reduce_per_byte;
}

// One guideline at a shape and a size: `special` takes no longer than `composed`.
struct Case {
  std::string name;
  double special, composed;
};

void add_compositions(std::vector<Case>& all, Shape shape, Bytes m) {
  const auto t = [&](Collective collective, Bytes bytes) {
    return time_of(collective, shape, bytes);
  };
  const Bytes P = shape.P(), piece = (m + P - 1) / P;
  using enum Collective;
  const auto add = [&](const char* name, double special, double composed) {
    all.push_back({name, special, composed});
  };
  add("gather <= allgather", t(gather, m), t(allgather, m));
  add("gather <= reduce", t(gather, m), t(reduce, P * m));
  add("scatter <= bcast", t(scatter, m), t(bcast, P * m));
  add("allgather <= gather + bcast", t(allgather, m), t(gather, m) + t(bcast, P * m));
  add("allgather <= alltoall", t(allgather, m), t(alltoall, m));
  add("allgather <= allreduce", t(allgather, m), t(allreduce, P * m));
  add("bcast <= scatter + allgather", t(bcast, m), t(scatter, piece) + t(allgather, piece));
  add("bcast <= allreduce", t(bcast, m), t(allreduce, m));
  add("reduce <= allreduce", t(reduce, m), t(allreduce, m));
  add("reduce <= scan", t(reduce, m), t(scan, m));
  add("reduce <= reduce_scatter + gather", t(reduce, m),
      t(reduce_scatter, piece) + t(gather, piece));
  add("allreduce <= reduce + bcast", t(allreduce, m), t(reduce, m) + t(bcast, m));
  add("allreduce <= reduce_scatter + allgather", t(allreduce, m),
      t(reduce_scatter, piece) + t(allgather, piece));
  add("reduce_scatter <= reduce + scatter", t(reduce_scatter, m), t(reduce, P * m) + t(scatter, m));
  add("reduce_scatter <= allreduce", t(reduce_scatter, m), t(allreduce, P * m));
  add("scan <= allgather + local work", t(scan, m), t(allgather, m) + combining(P * m));
  add("scan <= exscan + local work", t(scan, m), t(exscan, m) + combining(m));
  add("barrier <= allreduce", t(barrier, 0), t(allreduce, m));
}

void add_monotony(std::vector<Case>& all, Shape shape, Bytes m) {
  for (std::size_t c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    const std::string name(name_of(collective));
    const double one = time_of(collective, shape, m), two = time_of(collective, shape, 2 * m);
    all.push_back({name + " of m <= of 2m", one, two});
    all.push_back({name + " of 2m <= twice of m", two, 2 * one});
    const Shape more{2 * shape.nodes, shape.each};
    if (shape.nodes > 1)
      all.push_back({name + " of n nodes <= of 2n", one, time_of(collective, more, m)});
  }
}

std::string place_of(Shape shape, Bytes m) {
  return std::to_string(shape.nodes) + " x " + std::to_string(shape.each) + ", " +
         std::to_string(m);
}

using Places = std::map<std::string, std::set<std::string>>;

// Places that break a guideline today. The catalogue has no algorithm of several levels for these:
const Places kNeedLevels{
    {"gather <= allgather", {"4 x 4, 8", "16 x 16, 8", "125 x 8, 8"}},
    {"gather <= reduce", {"4 x 4, 8", "16 x 16, 8"}},
    {"scatter <= bcast", {"4 x 4, 8", "16 x 16, 8"}},
    {"reduce_scatter <= reduce + scatter", {"16 x 16, 8", "8 x 64, 256"}},
    {"reduce_scatter <= allreduce", {"4 x 4, 8", "16 x 16, 8", "8 x 64, 8", "8 x 64, 256"}},
    {"scan <= allgather + local work",
     {"4 x 4, 8", "4 x 4, 256", "16 x 16, 8", "16 x 16, 256", "8 x 64, 8", "8 x 64, 256",
      "125 x 8, 8"}},
};
// No algorithm is composed of the parts that are best: a linear scatter before an allgather, an
// allgather or an allreduce of which a rank takes what it needs, a neighbor exchange after a ring,
// binary trees up and split ones down between nodes.
const Places kNeedOtherParts{
    {"scan <= allgather + local work",
     {"8 x 1, 8", "8 x 1, 256", "64 x 1, 8", "64 x 1, 256", "1000 x 1, 8"}},
    {"reduce_scatter <= allreduce", {"64 x 1, 8"}},
    {"bcast <= scatter + allgather", {"1 x 64, 65536"}},
    {"reduce <= reduce_scatter + gather", {"1 x 16, 4096", "1 x 16, 65536", "1 x 64, 65536"}},
    {"allreduce <= reduce_scatter + allgather",
     {"64 x 1, 65536", "1000 x 1, 65536", "8 x 64, 4194304", "16 x 16, 1048576"}},
    {"allreduce <= reduce + bcast", {"125 x 8, 4194304"}},
};
// The fast algorithm copies its input, which alone exceeds the memory that a rank should hold.
const Places kNeedMemory{{"reduce_scatter of 2m <= twice of m", {"125 x 8, 4194304"}}};

bool is_listed(const std::string& name, const std::string& place) {
  return std::ranges::any_of(std::array{&kNeedLevels, &kNeedOtherParts, &kNeedMemory},
                             [&](const Places* places) {
                               const auto row = places->find(name);
                               return row != places->end() && row->second.contains(place);
                             });
}

std::size_t number_listed() {
  std::size_t number = 0;
  for (const Places* const places : {&kNeedLevels, &kNeedOtherParts, &kNeedMemory})
    for (const auto& [name, rows] : *places) number += rows.size();
  return number;
}

}  // namespace

TEST_CASE("choices keep to the self-consistent guidelines", "[decision]") {
  std::set<std::pair<std::string, std::string>> met;
  int tried = 0;
  for (const Shape& shape : kShapes)
    for (const Bytes m : kSizes) {
      std::vector<Case> all;
      add_compositions(all, shape, m);
      add_monotony(all, shape, m);
      const std::string place = place_of(shape, m);
      for (const Case& one : all) {
        ++tried;
        const bool breaks = one.special > kTolerance * one.composed;
        const bool listed = is_listed(one.name, place);
        if (listed) met.emplace(one.name, place);
        INFO(one.name << ", " << place << " bytes: " << one.special << " us, composed "
                      << one.composed << (listed ? "; listed as broken" : ""));
        CHECK(breaks == listed);
      }
    }
  CHECK(tried > 1612);
  CHECK(met.size() == number_listed());  // each names a guideline, a shape and a size of these
}
