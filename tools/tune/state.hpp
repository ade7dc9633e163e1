// The file in which `tutti tune` writes each measurement as soon as it is made, so that an
// interrupted run can go on. A line of JSON each; the first one says of what job it is.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "tools/tune/tune.hpp"

namespace tutti::tools {

struct Remembered {
  models::Median median;
  bool finalist;
};
struct Memory {
  std::map<std::string, Remembered> candidates;  // by point and name
  std::size_t bytes = 0;  // of whole lines; a last one that was cut off is measured again
};
// Throws Error{bad_configuration}: the text is another job's, or not what `tutti tune` writes. The
// caller adds the name of the file.
Memory parse_memory(std::string_view text, std::string_view job);

class State {
 public:
  // `resume`: reads what is there; else begins anew. Throws Error: as parse_memory(), or the file
  // cannot be read or written.
  State(std::string path, const std::string& job, bool resume);
  // Whether it knows the candidate's time, which the candidate has then.
  bool recall(const Point& point, Candidate& candidate) const;
  void add(const Point& point, const Candidate& candidate);
  std::size_t size() const noexcept { return memory_.candidates.size(); }

 private:
  const std::string path_;
  Memory memory_;
};

}  // namespace tutti::tools
