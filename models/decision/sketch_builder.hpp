// Builds a sketch, for the families: stages, and what holds for all of them. Pure.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "models/decision/sketch.hpp"
#include "models/decision/topology.hpp"

namespace tutti::models {

class SketchBuilder {
 public:
  // Begins an empty sketch, whose memory is used again.
  SketchBuilder(Sketch& sketch, const Topology& place);

  // The stages that follow are of another level, of ranks that are placed like this.
  void level(const Topology& place);
  const Topology& place() const noexcept { return place_; }
  // Whether messages of the stages that follow are combined.
  void combining(bool combines) { combines_ = combines; }
  bool is_combining() const noexcept { return combines_; }

  // The reference is valid until the next stage is added.
  Stage& add(Bytes bytes);
  std::vector<Stage>& stages() noexcept { return sketch_.stages; }
  void set_step(std::vector<Stage> step) { sketch_.step = std::move(step); }

  // At least `peers` ranks are spoken to at this level.
  void meets(double peers);
  // A rank sends to so many ranks near and far, and none of this part to more.
  void sends_to(const Count& ranks);
  // As many as it sends to in the stages from this number on, if no rank is met in two of them.
  void sends_anew(std::size_t first_stage);

  // Once, beside what the last stage does.
  void copies(double bytes);
  void needs_scratch(Bytes bytes) { sketch_.scratch += bytes; }
  void one_way(bool is) { sketch_.one_way = is; }
  void sends_parts(int parts) { sketch_.parts = parts; }
  // Ranks begin with different parts of the vector, or send whole ones to one rank after another,
  // so segments do not follow each other from this level to the next one.
  void sends_blocks() { blocks_ = true; }
  bool has_blocks() const noexcept { return blocks_; }

 private:
  Sketch& sketch_;
  Topology place_;
  int peers_ = 0, other_levels_ = 0;
  bool combines_ = false, has_levels_ = false, blocks_ = false;
};

}  // namespace tutti::models
