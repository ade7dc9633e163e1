// Tells what kind of program a file is, from its first bytes and its ELF program headers (elf(5)).
#include "tools/program_file.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bits.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "src/api/note.hpp"

namespace tutti::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestFirstLine = 256;  // the kernel reads no more of a script

template <class Header>
std::optional<Header> read_at(std::ifstream& file, std::uint64_t offset) {
  Header header{};
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file) return {};
  return header;
}

std::string_view architecture_of(int machine) {
  switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_386: return "32-bit x86";
    case EM_AARCH64: return "64-bit ARM";
    case EM_ARM: return "32-bit ARM";
    case EM_PPC64: return "64-bit PowerPC";
    case EM_RISCV: return "RISC-V";
    case EM_S390: return "s390";
    default: return "an architecture that Tutti does not know";
  }
}

// The ELF header of this program, which is of the machine's architecture.
Elf64_Ehdr own_header() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return read_at<Elf64_Ehdr>(file, 0).value_or(Elf64_Ehdr{});
}

std::vector<Elf64_Phdr> segments_of(std::ifstream& file, const Elf64_Ehdr& header,
                                    std::uint32_t type) {
  std::vector<Elf64_Phdr> all;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(file, header.e_phoff + i * header.e_phentsize);
    if (segment && segment->p_type == type) all.push_back(*segment);
  }
  return all;
}

// Whether the program has Tutti's note. Notes that reach beyond the file end the search.
bool has_note(std::ifstream& file, const Elf64_Ehdr& header) {
  constexpr Note kOwn;
  for (const Elf64_Phdr& segment : segments_of(file, header, PT_NOTE)) {
    const std::uint64_t unit = segment.p_align == 8 ? 8 : 4;
    for (std::uint64_t at = 0; at < segment.p_filesz;) {
      const auto note = read_at<Note>(file, segment.p_offset + at);
      if (!note) break;
      if (note->name_size == kOwn.name_size && note->name == kOwn.name) return true;
      at += round_up(round_up(offsetof(Note, name) + note->name_size, unit) + note->content_size,
                     unit);
    }
  }
  return false;
}

ProgramFile elf_program(const std::string& path, std::ifstream& file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header)
    bad_configuration(fmt::format("{} ends within its ELF header: it is not a program", path));
  const Elf64_Ehdr own = own_header();
  if (header->e_ident[EI_CLASS] != own.e_ident[EI_CLASS] || header->e_machine != own.e_machine)
    bad_configuration(fmt::format("{} is a program for {}, and this machine runs {}", path,
                                  architecture_of(header->e_machine),
                                  architecture_of(own.e_machine)));
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
    bad_configuration(fmt::format("{} is an object file or a core dump: link it first", path));
  // It is the dynamic linker that preloads libraries.
  const bool fixed = segments_of(file, *header, PT_INTERP).empty();
  return {path, fixed ? ProgramFile::fixed : ProgramFile::dynamic, {}, has_note(file, *header)};
}

// "#!/usr/bin/env python3 -u": python3.
std::string interpreter_in(std::string_view line) {
  const auto next_word = [&] {
    line = trimmed(line);
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    return std::string(word);
  };
  std::string interpreter = next_word();
  if (fs::path(interpreter).filename() != "env") return interpreter;
  do interpreter = next_word();
  while (interpreter.starts_with('-') || interpreter.find('=') != std::string::npos);
  return interpreter;
}

// Refuses a name for which there is no file to execute, in the words of a shell.
[[noreturn]] void refuse_name(const std::string& name) {
  std::error_code ignored;
  const bool has_folder = name.find('/') != std::string::npos;
  const fs::path file(name);
  if (!fs::exists(file, ignored))
    bad_configuration(has_folder
                          ? fmt::format("there is no file {}", name)
                          : fmt::format("there is no program {}: no folder of PATH has it", name));
  if (fs::is_directory(file, ignored))
    bad_configuration(fmt::format("{} is a folder, not a program", name));
  if (!has_folder)
    bad_configuration(
        fmt::format("there is no program {0}: no folder of PATH has it; the one in this folder is "
                    "./{0}",
                    name));
  bad_configuration(fmt::format("{0} may not be executed; chmod +x {0}", name));
}

bool may_be_executed(const fs::path& path) {
  std::error_code ignored;
  return access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, ignored);
}

}  // namespace

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return may_be_executed(name) ? fs::path(name) : "";
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const auto colon = std::min(rest.find(':'), rest.size());
    fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (may_be_executed(candidate)) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return {};
}

ProgramFile program_file(const std::string& name) {
  const fs::path path = find_program(name);
  if (path.empty()) refuse_name(name);
  std::ifstream file(path, std::ios::binary);
  // A user may be allowed to execute a file and not to read it: then the launcher finds out.
  if (!file) return {path, ProgramFile::dynamic, {}};
  std::string begin(kLongestFirstLine, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  if (begin.starts_with(ELFMAG)) return elf_program(path.string(), file);
  if (begin.starts_with("#!"))
    return {path, ProgramFile::script, interpreter_in(begin.substr(2, begin.find('\n') - 2))};
  bad_configuration(
      begin.empty() ? fmt::format("{} is empty", path.string())
                    : fmt::format("{} is neither an ELF program nor a script: its first line does "
                                  "not begin with #!, as in #!/bin/sh",
                                  path.string()));
}

}  // namespace tutti::tools
