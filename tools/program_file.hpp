// Which kind of file a program is, as the kernel would see it. Knows no MPI.
#pragma once

#include <filesystem>
#include <string>

namespace tutti::tools {

// As the shell finds it; empty: there is none.
std::filesystem::path find_program(const std::string& name);

struct ProgramFile {
  enum Kind { dynamic, fixed, script };  // fixed: linked statically, so nothing can be preloaded
  std::filesystem::path path;
  Kind kind = dynamic;
  std::string interpreter;   // of a script: the program that reads it, as `#!` names it
  bool holds_tutti = false;  // linked to a static Tutti (src/api/note.hpp)
};

// The program of a command line. Throws Error{bad_configuration}, which says in one line why the
// file cannot be started: there is none, it is a folder, it may not be executed, it is of another
// architecture, or neither an ELF program nor a script.
ProgramFile program_file(const std::string& name);

}  // namespace tutti::tools
