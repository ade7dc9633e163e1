// The parameters of cost models in JSON: what is accepted can be written and read again, and
// predicts times that are numbers.
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/json.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::fuzz;

namespace {

void must_predict(const Model& model) {
  for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{1} << 20, Bytes{1} << 40}) {
    const double time = time_of(model, bytes);
    must(time >= 0, "a message takes no less than no time");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Platform platform;
  if (!accepts([&] { platform = parse_platform(Input(data, size).text()); })) return 0;
  const auto written = to_json(platform);
  must(to_json(parse_platform(written.dump())) == written, "what is written reads the same");
  must_predict(platform.between);
  if (platform.within) must_predict(*platform.within);
  accepts([&] {
    parse_platform(Input(data, size).text(), {.model = "logp", .parameters = {{"L", 1.5}}});
  });
  return 0;
}
