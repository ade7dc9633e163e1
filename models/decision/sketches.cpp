// Looks up, by algorithm and collective, the function that draws the sketch. Pure.
#include "models/decision/sketches.hpp"

#include <array>
#include <vector>

#include "models/decision/drawings.hpp"

namespace tutti::models {

using collectives::Algorithm;
using collectives::Collective;
using collectives::Parameters;

Draw drawing_of(const Algorithm& algorithm, Collective collective) {
  using Drawings = std::array<Draw, collectives::kCollectives>;
  static const auto& all = *new std::vector<Drawings>([] {  // by number in the catalogue
    std::vector<Drawings> made;
    made.reserve(collectives::algorithms().size());
    for (const Algorithm& some : collectives::algorithms()) {
      Drawings& in_each = made.emplace_back();
      for (const auto& rows : {drawings::of_trees(), drawings::of_exchanges()})
        for (const drawings::Row& row : rows)
          if (row.name == some.name) in_each[index(row.collective)] = row.draw;
    }
    return made;
  }());
  const auto number = &algorithm - collectives::algorithms().data();
  return all[static_cast<std::size_t>(number)][index(collective)];
}

Draw drawing_of(const Algorithm& algorithm) { return drawing_of(algorithm, algorithm.collective); }

std::string_view why_no_sketch(const Algorithm& algorithm) noexcept {
  if (algorithm.needs.has(collectives::Condition::datagrams))
    return "it is chosen by hand only: all ranks join a group when Tutti starts, if a setting "
           "names it";
  if (algorithm.traits.times)
    return "it is chosen by hand only here: its tree is found by a search, for blocks of one "
           "length and up to 4096 ranks that have cores of their own and all share a node or none, "
           "under parameters of the models logp and loggp";
  if (algorithm.traits.levels)
    return "it is chosen by hand only here: it takes several nodes, and several ranks on one, to "
           "have two levels";
  if (algorithm.traits.nodes)
    return "it is chosen by hand only here: there are not several nodes of equally many ranks, "
           "which would be the rows of its grid";
  return "it is chosen by hand only: its ranks wait for each other in the order of a text, and a "
         "ring or direct messages move the same bytes without that";
}

bool draw(Sketch& sketch, const Topology& place, const Algorithm& algorithm, Bytes bytes,
          const Parameters& parameters) {
  SketchBuilder builder(sketch, place);
  if (algorithm.traits.levels) {
    draw_levels(builder, place, algorithm, bytes, parameters);
    return true;
  }
  if (algorithm.traits.nodes) return draw_grid(builder, place, algorithm, bytes);
  const Draw drawing = drawing_of(algorithm);
  if (drawing) drawing(builder, bytes, parameters);
  return drawing != nullptr;
}

}  // namespace tutti::models
