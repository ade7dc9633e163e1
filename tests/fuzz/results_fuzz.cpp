// Results that Tutti's commands write and read again: rows of the bench, the memory of an
// interrupted `tutti tune`, models of `tutti measure`. Accepted ones can be used as they are.
#include <nlohmann/json.hpp>

#include "collectives/algorithms/catalogue.hpp"
#include "models/predictor.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tools/predict/measurements.hpp"
#include "tools/tune/state.hpp"

using namespace tutti;
using namespace tutti::fuzz;

namespace {

void read_rows(std::string_view text) {
  tools::Measurements found;
  if (!accepts([&] { found = tools::parse_measurements(text); })) return;
  must(found.nodes >= 1 && found.nodes <= found.ranks, "there is a rank on each node");
  for (const tools::MeasuredCase& row : found.rows) {
    must(row.what.P == found.ranks && row.what.bytes >= 0 && row.time >= 0, "a row can be shown");
    must(row.what.choice.algorithm && row.what.choice.algorithm->collective == row.what.collective,
         "its algorithm is one of its collective");
  }
}

// Text behind the last whole line was still being written, so it may be anything.
void read_memory(std::string_view text) {
  tools::Memory memory;
  if (!accepts([&] { memory = tools::parse_memory(text, "a job"); })) return;
  must(memory.bytes > 0 && memory.bytes <= text.size() && text[memory.bytes - 1] == '\n',
       "the rest begins a line");
  for (const auto& [key, candidate] : memory.candidates)
    must(candidate.median.value >= 0 && candidate.median.count >= 1, "a time can be compared");
  const auto again = tools::parse_memory(text.substr(0, memory.bytes), "a job");
  must(again.bytes == memory.bytes && again.candidates.size() == memory.candidates.size(),
       "what is kept reads the same");
}

void read_models(std::string_view text) {
  accepts([&] {
    for (const models::Predictor& predictor : models::parse_predictors(text)) {
      const auto written = to_json(predictor);
      must(to_json(models::parse_predictor(written.dump())) == written,
           "what is written reads the same");
      must(!label_of(predictor).empty(), "it has a name");
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = Input(data, size).text();
  read_rows(text);
  read_memory(text);
  read_models(text);
  return 0;
}
