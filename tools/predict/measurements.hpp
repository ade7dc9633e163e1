// Rows that `tutti bench --json` has written, read again to lay predictions beside them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/predict/predict.hpp"

namespace tutti::tools {

struct MeasuredCase {
  Case what;
  std::string algorithm, digest;  // as the bench names them; no digest: older ones named none
  double time;                    // us, the median
  int calls;                      // that followed each other
};
struct Measurements {
  int ranks, nodes;
  std::vector<MeasuredCase> rows;
};

// Throws Error{bad_configuration} that says where the text is not what the bench writes. The caller
// adds the name of the file.
Measurements parse_measurements(std::string_view text);

}  // namespace tutti::tools
