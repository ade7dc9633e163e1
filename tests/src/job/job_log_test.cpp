// Readers of a line, and the rank of a node that warns.
#include "src/job/job_log.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace tutti;

TEST_CASE("the first rank of a node warns, and the others log what they would say", "[job_log]") {
  std::vector<std::string> logged, warned;
  const auto to = [](std::vector<std::string>& lines) {
    return [&lines](std::string_view line) { lines.emplace_back(line); };
  };
  JobLog log(to(logged), to(warned));
  CHECK(log.enabled());
  log.write("a fact");
  log.warn("another rank says it");
  log.warn_for_node();
  log.write("another fact");
  log.warn("mend this");
  CHECK(logged == std::vector<std::string>{"a fact", "another rank says it", "another fact"});
  CHECK(warned == std::vector<std::string>{"mend this"});
}

TEST_CASE("where nobody takes warnings they are logged, and lines that nobody reads are dropped",
          "[job_log]") {
  std::vector<std::string> logged;
  JobLog log([&](std::string_view line) { logged.emplace_back(line); }, nullptr);
  log.warn_for_node();
  log.warn("mend this");
  CHECK(logged == std::vector<std::string>{"mend this"});
  JobLog silent(nullptr, nullptr);
  CHECK_FALSE(silent.enabled());
  silent.write("nobody reads this");
  silent.warn("nor this");
}
