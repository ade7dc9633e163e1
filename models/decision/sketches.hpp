// Which families each algorithm of the catalogue is made of. Pure.
#pragma once

#include "collectives/algorithms/catalogue.hpp"
#include "models/decision/sketch_builder.hpp"

namespace tutti::models {

// Adds a plain algorithm's stages to a sketch, for the sketch's place. `bytes`: of the message, or
// of a block.
using Draw = void (*)(SketchBuilder& sketch, Bytes bytes,
                      const collectives::Parameters& parameters);
// nullptr: there is none; why_no_sketch() says why.
Draw drawing_of(const collectives::Algorithm& algorithm);
// The drawing of the algorithm that has the same name in another collective.
Draw drawing_of(const collectives::Algorithm& algorithm, collectives::Collective collective);
std::string_view why_no_sketch(const collectives::Algorithm& algorithm) noexcept;

// Two levels, as hierarchical.cpp composes them: `within` and `across` are those of the parameters
// or, where these name none, that file's.
void draw_levels(SketchBuilder& sketch, const Topology& place,
                 const collectives::Algorithm& algorithm, Bytes bytes,
                 const collectives::Parameters& parameters);
// A grid of nodes (BEO §5): which phases an algorithm has; see sketches_levels.cpp.
bool draw_grid(SketchBuilder& sketch, const Topology& place,
               const collectives::Algorithm& algorithm, Bytes bytes);

// The whole sketch of a choice; false: there is none.
bool draw(Sketch& sketch, const Topology& place, const collectives::Algorithm& algorithm,
          Bytes bytes, const collectives::Parameters& parameters);

}  // namespace tutti::models
