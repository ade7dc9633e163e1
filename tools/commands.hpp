// The commands of the program `tutti`: each adds itself to the command line, and runs if it was
// named.
#pragma once

#include <functional>

namespace CLI {  // a header that takes the compiler ten seconds
class App;
}

namespace tutti::tools {

// Sets `*run` to what is to be done if the command is parsed; it returns the exit status.
using Run = std::function<int()>;
void add_info(CLI::App& app, Run* run);
void add_list(CLI::App& app, Run* run);
void add_verify(CLI::App& app, Run* run);
void add_bench(CLI::App& app, Run* run);
void add_predict(CLI::App& app, Run* run);
void add_draw(CLI::App& app, Run* run);
void add_measure(CLI::App& app, Run* run);
void add_tune(CLI::App& app, Run* run);
void add_explain(CLI::App& app, Run* run);

}  // namespace tutti::tools
