// The commands of the program `tutti`: each adds itself to the command line.
#pragma once

namespace tutti::tools {

class CommandLine;
void add_info(CommandLine& line);
void add_list(CommandLine& line);
void add_verify(CommandLine& line);
void add_bench(CommandLine& line);
void add_predict(CommandLine& line);
void add_draw(CommandLine& line);
void add_measure(CommandLine& line);
void add_tune(CommandLine& line);
void add_explain(CommandLine& line);
void add_run(CommandLine& line);

}  // namespace tutti::tools
