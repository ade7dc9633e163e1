// Choices by hand, as in TUTTI_ALGORITHM: what is accepted can be written and read again.
#include <string>

#include "collectives/selection/choices.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::map<Collective, Choice> choices;
  if (!accepts([&] { choices = parse_choices(Input(data, size).text()); })) return 0;
  for (const auto& [collective, choice] : choices) {
    must(choice.algorithm != nullptr && choice.algorithm->collective == collective,
         "the algorithm is one of that collective");
    must(choice.parameters.k >= 1 && choice.parameters.segment >= 0,
         "the parameters are what algorithms take");
    std::string written(name_of(collective));
    written += (choice.preferred ? "=prefer " : "=") + to_string(choice);
    const auto again = parse_choices(written);
    must(again.size() == 1 && again.begin()->first == collective, "one choice is written as one");
    const Choice& same = again.begin()->second;
    must(same.algorithm == choice.algorithm && same.parameters == choice.parameters &&
             same.preferred == choice.preferred,
         "a choice that is written and read again is the same");
  }
  return 0;
}
