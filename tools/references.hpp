// The works that the catalogue's column `paper` abbreviates: one table, from which `tutti list`,
// the manual page and docs/references.md are made. Pure data.
#pragma once

#include <span>
#include <string_view>

namespace tutti::tools {

struct Reference {
  std::string_view name;   // as the catalogue writes it
  std::string_view work;   // author, title, where, year
  std::string_view taken;  // the ideas that Tutti takes from it
};
std::span<const Reference> references() noexcept;

}  // namespace tutti::tools
