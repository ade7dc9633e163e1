// Sketches of algorithms that know which ranks share a node: two levels, and grids. Pure.
#include <array>
#include <span>

#include "models/decision/families.hpp"
#include "models/decision/sketches.hpp"

namespace tutti::models {
namespace {

using collectives::Algorithm;
using collectives::Collective;
using collectives::find;
using collectives::Nested;
using collectives::Parameters;

struct Levels {
  Topology within, across;
};

// All nodes do the same within; across them one rank of each sends.
Levels levels_of(const Topology& place) {
  return {{.P = place.q, .q = place.q, .copies = place.nodes},
          {.P = place.nodes, .nodes = place.nodes, .q = 1}};
}

void draw_part(SketchBuilder& sketch, Collective collective, const Nested& nested,
               std::string_view usual, Bytes bytes) {
  Draw drawing = nested.algorithm ? drawing_of(*nested.algorithm, collective) : nullptr;
  if (!drawing) drawing = drawing_of(*find(collective, usual));
  if (drawing) drawing(sketch, bytes, {.k = nested.k});
}

// The two phases of a grid: along a line of as many ranks as a node has, and across the nodes,
// where all ranks of a node send at the same time.
struct Grid {
  Collective collective;
  std::string_view name;
  bool rows_first, doubling;
};
constexpr std::array kGrids{
    Grid{Collective::allgather, "rows-first", true, false},
    Grid{Collective::allgather, "columns-first", false, false},
    Grid{Collective::allgather, "rows-first-exchange", true, true},
    Grid{Collective::allgather, "columns-first-exchange", false, true},
    Grid{Collective::allreduce, "rows-first", true, false},
    Grid{Collective::allreduce, "columns-first", false, false},
    Grid{Collective::allreduce, "rows-first-exchange", true, true},
    Grid{Collective::allreduce, "columns-first-exchange", false, true},
    // Mirrors: the phases change places.
    Grid{Collective::reduce_scatter, "rows-first", false, false},
    Grid{Collective::reduce_scatter, "columns-first", true, false},
    Grid{Collective::reduce_scatter, "rows-first-exchange", false, true},
    Grid{Collective::reduce_scatter, "columns-first-exchange", true, true},
};

}  // namespace

void draw_levels(SketchBuilder& sketch, const Topology& place, const Algorithm& algorithm,
                 Bytes bytes, const Parameters& p) {
  const auto levels = levels_of(place);
  const Collective collective = algorithm.collective;
  const auto added = [&](std::size_t begin) { return std::span{sketch.stages()}.subspan(begin); };
  // One of more than two leaders needs the last block first.
  const auto begins_at = [&](std::size_t begin) {
    if (sketch.has_blocks() && place.nodes > 2 && begin > 0 && begin < sketch.stages().size())
      sketch.stages()[begin].after_all = true;
  };
  const auto in_node = [&](Collective part, Bytes length, bool combines = false) {
    const std::size_t begin = sketch.stages().size();
    sketch.level(levels.within);
    sketch.combining(combines);
    draw_part(sketch, part, p.within, "linear", length);
    sketch.combining(false);
    for (Stage& stage : added(begin)) stage.one_side = true;  // the leader is the root
    begins_at(begin);
  };
  const auto between = [&](Collective part, std::string_view usual, Bytes length) {
    const std::size_t begin = sketch.stages().size();
    sketch.level(levels.across);
    draw_part(sketch, part, p.across, usual, length);
    for (Stage& stage : added(begin)) stage.leaders = true;
    begins_at(begin);
  };
  switch (collective) {
    case Collective::bcast:
      between(collective, "binomial", bytes);
      in_node(collective, bytes);
      break;
    case Collective::reduce:  // the broadcast's trees, upwards
      in_node(collective, bytes, true);
      between(collective, "binomial", bytes);
      break;
    case Collective::allreduce:
      in_node(Collective::reduce, bytes, true);
      between(collective, "recursive-doubling", bytes);
      in_node(Collective::bcast, bytes);
      break;
    case Collective::allgather:  // block by block up the tree within
      in_node(Collective::gather, bytes);
      between(collective, "ring", place.q * bytes);
      in_node(Collective::bcast, place.P * bytes);
      break;
    default:  // a barrier: up the tree, across, and down
      in_node(Collective::reduce, 0);
      between(Collective::barrier, "dissemination", 0);
      in_node(Collective::bcast, 0);
  }
  sketch.sends_parts(1);  // the other level does not
  // Properties that only some of the phases state hold for the whole.
  if (collective != Collective::bcast && collective != Collective::reduce) sketch.one_way(false);
}

bool draw_grid(SketchBuilder& sketch, const Topology& place, const Algorithm& algorithm,
               Bytes bytes) {
  if (place.nodes == 1 || Bytes{place.q} * place.nodes != place.P) return false;
  for (const Grid& grid : kGrids) {
    if (grid.collective != algorithm.collective || grid.name != algorithm.name) continue;
    const Topology row{.P = place.q, .q = place.q, .copies = place.nodes};
    const Topology column{.P = place.nodes, .nodes = place.nodes, .q = 1, .copies = place.q};
    const bool whole = grid.collective == Collective::allreduce;
    const auto phase = [&](const Topology& line, Bytes length) {
      sketch.level(line);
      sketch.combining(collectives::reduces(grid.collective));
      if (grid.doubling && whole)
        families::doubling(sketch, length, 1, length, length);
      else if (grid.doubling)
        families::doubling_blocks(sketch, length);
      else
        families::ring(sketch, length, line.P - 1);
      sketch.combining(false);
    };
    const Topology& first = grid.rows_first ? row : column;
    const Topology& second = grid.rows_first ? column : row;
    phase(first, bytes);
    phase(second, whole ? bytes : first.P * bytes);
    if (!whole && grid.rows_first != place.in_order)
      sketch.copies(static_cast<double>(place.P * bytes));
    // A reduction combines in a copy of all blocks, or keeps the vectors of a line; an allgather
    // puts blocks into the order of ranks.
    if (whole)
      sketch.needs_scratch(grid.doubling ? 2 * bytes : (place.q + place.nodes) * bytes);
    else if (collectives::reduces(grid.collective) || grid.rows_first != place.in_order)
      sketch.needs_scratch(place.P * bytes);
    return true;
  }
  return false;
}

}  // namespace tutti::models
