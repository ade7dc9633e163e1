// Charts of calls that the setting `trace` recorded.
#pragma once

#include <string>
#include <vector>

#include "models/platform/platform.hpp"
#include "models/simulation/recorded.hpp"
#include "tools/draw/picture.hpp"

namespace tutti::tools {

class Recordings {
 public:
  // All files rank-N.jsonl of a folder. Throws Error{bad_configuration}, which names the file.
  explicit Recordings(const std::string& folder);

  // A call, and how a picture says which one it is.
  struct Found {
    std::vector<models::RecordedPlace> places;  // by rank
    std::string which;                          // "call 7", "call 7, the median of 50 calls …"
  };
  // The call of that number, the last one of those on most ranks. Throws Error{bad_configuration},
  // which says what there is.
  Found find(collectives::Collective collective, CollectiveNumber number) const;
  // The call of the median time among those that differ in nothing else: on most ranks, and of
  // these of the size, algorithm and root that come most often. Throws as find().
  Found find_median(collectives::Collective collective) const;

  Chart chart(const Found& found) const;
  // The same schedules, simulated. Throws Error{bad_configuration} if others were run: a v-form's,
  // or those of another version.
  Chart simulated(const Found& found, const models::Platform& platform) const;

 private:
  // Throws Error{bad_configuration} if there are none, or too many for a picture.
  std::size_t steps_to_draw(const std::vector<models::RecordedPlace>& places) const;
  std::int64_t aligned(std::size_t file, std::int64_t time) const {
    return time + clocks_.add[file];
  }
  // The node of each rank of a call.
  std::vector<int> nodes_of(const std::vector<models::RecordedPlace>& places) const;
  const models::RecordedCall& call(const models::RecordedPlace& place) const {
    return files_[place.file].calls[place.call];
  }
  std::vector<models::Recorded> files_;  // by world rank
  models::Alignment clocks_;
};

}  // namespace tutti::tools
