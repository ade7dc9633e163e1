// Every model by name, and every set of parameters that the papers print.
#include "models/platform/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.hpp"
#include "base/nearest.hpp"

namespace tutti::models {
namespace {

constexpr Published kPublished[] = {
    {"boba", "OCC table 5", "32 nodes, Gigabit Ethernet",
     R"({"model": "loggp", "parameters": {"L": 30.40, "o": 8.15, "g": 8.683, "G": 0.015}})"},
    {"frodo", "OCC table 5", "32 nodes, 100 Mbit Ethernet",
     R"({"model": "loggp", "parameters": {"L": 61.22, "o": 8.2, "g": 23.8, "G": 0.084}})"},
    {"ib-figure-4.2", "IB figure 4.2", "an example; in units, not us",
     R"({"model": "logp", "parameters": {"L": 20, "o_s": 5, "o_r": 6, "g": 10}})"},
    {"ib-measured", "IB §4.3.3", "InfiniBand; g and G are in figure 4.4 only, so set them",
     R"({"model": "loggp", "parameters": {"L": 4.5, "o_s": 2.4, "o_r": 1.1}})", false},
    {"ib-figure-5.7", "IB figure 5.7", "small messages, f = 2",
     R"({"model": "logfp", "parameters": {"L": 5.0, "g": 3.0, "f": 2, "o_s_min": 0.5,
         "o_s_max": 2.0, "o_r_min": 0.5, "o_r_max": 1.5}})"},
    {"ib-figure-5.8", "IB figure 5.8", "as figure 5.7, f = 4",
     R"({"model": "logfp", "parameters": {"L": 5.0, "g": 3.0, "f": 4, "o_s_min": 0.5,
         "o_s_max": 2.0, "o_r_min": 0.5, "o_r_max": 1.5}})"},
    {"bunyip", "BEO §3.1", "100 Mbit Ethernet; the paper counts elements of 8 bytes",
     R"({"model": "split-hockney", "parameters": {"alpha_s": 24, "alpha_r": 180,
         "beta_s": 0.0103125, "beta_r": 0.132875}})"},
    {"bluegene-p", "HPM eq. 1", "without congestion",
     R"({"model": "piecewise", "parameters": {"ranges": [
         {"up_to": 256, "alpha": 4.5, "beta": 0.00267},
         {"up_to": 1024, "alpha": 5.7, "beta": 0.00267},
         {"alpha": 9.8, "beta": 0.00267}]}})"},
    {"lusitania", "TAU table 7.2", "128 cores, shared memory",
     R"({"model": "loggp", "parameters": {"L": 0.500, "o": 0.350, "g": 0.120, "G": 0.0009890}})"},
    {"metropolis", "TAU table 7.2 (LogGPH)", "shared memory, and Ethernet between nodes",
     R"({"within": {"model": "loggp", "parameters":
                    {"L": 1.683, "o": 0.1095, "g": 1.649, "G": 0.0001923}},
         "between": {"model": "loggp", "parameters":
                     {"L": 32.986, "o": 2.8775, "g": 4.841, "G": 0.0092}}})"},
};

template <std::size_t... I>
std::array<Model, sizeof...(I)> each_model(std::index_sequence<I...>) {
  return {Model{std::in_place_index<I>}...};
}

bool same(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::span<const Model> models() noexcept {
  static const auto& all =
      *new auto(each_model(std::make_index_sequence<std::variant_size_v<Model>>{}));
  return all;
}

bool is_model(std::string_view name) noexcept {
  return std::ranges::any_of(models(), [&](const Model& m) { return same(name, name_of(m)); });
}

Model model_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Model& model : models()) {
    if (same(name, name_of(model))) return model;
    names.push_back(name_of(model));
  }
  if (same(name, "tau-lop"))
    bad_configuration(
        fmt::format("tau-lop costs stages of transfers that go on at once, and has no times of "
                    "single messages, as are needed here: `tutti predict --model tau-lop` takes "
                    "it; here there are {}",
                    fmt::join(names, ", ")));
  bad_configuration(no_such("model", name, names));
}

std::span<const Published> published() noexcept { return kPublished; }

const Published* find_published(std::string_view name) noexcept {
  for (const Published& some : kPublished)
    if (same(name, some.name)) return &some;
  return nullptr;
}

}  // namespace tutti::models
