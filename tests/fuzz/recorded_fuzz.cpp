// Traces that ranks wrote (setting `trace`), one file or several with form feeds between them: if
// they are accepted, they can be brought to one clock, and their messages pair off.
#include "models/simulation/recorded.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::fuzz;

namespace {

void pair_off(const std::vector<Recorded>& files, const CallName& name) {
  accepts([&] {
    const std::vector<RecordedPlace> places = places_of(files, name);
    must(!places.empty() && places.size() <= files.size(), "each rank of a call has its file");
    each_message(files, places,
                 [&](Rank from, const RecordedStep& sent, Rank to, const RecordedStep& received) {
                   must(sent.peer == to && received.peer == from, "both ends name each other");
                 });
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<Recorded> files;
  std::string_view rest = Input(data, size).text();
  for (bool more = true; more;) {
    const std::size_t length = std::min(rest.find('\f'), rest.size());
    if (!accepts([&] { files.push_back(parse_recorded(rest.substr(0, length))); })) return 0;
    more = length < rest.size();
    rest.remove_prefix(length + (more ? 1 : 0));
  }
  const Alignment alignment = align(files);
  must(alignment.add.size() == files.size() && alignment.uncertainty >= 0, "all files are aligned");
  for (const Recorded& file : files)
    for (const RecordedCall& call : file.calls) pair_off(files, call.name);
  return 0;
}
