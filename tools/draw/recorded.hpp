// Charts of calls that the setting `trace` recorded.
#pragma once

#include <string>
#include <vector>

#include "models/platform.hpp"
#include "models/recorded.hpp"
#include "tools/draw/picture.hpp"

namespace tutti::tools {

class Recordings {
 public:
  // All files rank-N.jsonl of a folder. Throws Error{bad_configuration}, which names the file.
  explicit Recordings(const std::string& folder);

  // The last call of a collective, or the one of that number; of several communicators', that of
  // the one with most ranks. Throws Error{bad_configuration}, which says what there is.
  std::vector<models::RecordedPlace> find(collectives::Collective collective,
                                          long long number) const;

  Chart chart(const std::vector<models::RecordedPlace>& places) const;
  // The same schedules, simulated. Throws Error{bad_configuration} if others were run: a v-form's,
  // or those of another version.
  Chart simulated(const std::vector<models::RecordedPlace>& places,
                  const models::Platform& platform) const;

 private:
  // Of each rank of a call.
  std::vector<int> nodes_of(const std::vector<models::RecordedPlace>& places) const;
  const models::RecordedCall& call(const models::RecordedPlace& place) const {
    return files_[place.file].calls[place.call];
  }
  std::vector<models::Recorded> files_;  // by world rank
  models::Alignment clocks_;
};

}  // namespace tutti::tools
