// JobLog: lines for people. Details for those who look for them, and faults for users to mend.
#pragma once

#include <string_view>
#include <utility>

#include "src/news/connections.hpp"

namespace tutti {

class JobLog {
 public:
  // Null: nobody reads these.
  JobLog(Log log, Log warn) : log_(std::move(log)), warn_(std::move(warn)) {}

  // This rank is the first one of its node. A node's ranks are alike, so it warns for all of them.
  void warn_for_node() noexcept { warns_for_node_ = true; }
  bool enabled() const noexcept { return log_ != nullptr; }
  void write(std::string_view line) const {
    if (log_) log_(line);
  }
  // A fault that the user should mend; not logged where another rank warns for the node.
  void warn(std::string_view line) const {
    if (warns_for_node_ && warn_)
      warn_(line);
    else
      write(line);
  }

 private:
  const Log log_, warn_;
  bool warns_for_node_ = false;
};

}  // namespace tutti
