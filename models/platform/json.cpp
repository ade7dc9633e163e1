// Reads and writes by visiting the parameters of each model.
#include "models/platform/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "models/platform/conversion.hpp"
#include "models/platform/json_values.hpp"
#include "models/platform/names.hpp"

namespace tutti::models {
namespace {

using nlohmann::json;
using namespace values;
using values::read;
using values::written;

void read(const json& value, std::vector<Piecewise::Range>& into, const std::string& where) {
  read_parts(value, into, where, [](const json& from, Piecewise::Range& range, const auto& place) {
    check_keys(from, {"up_to", "alpha", "beta"}, place);
    for (const char* key : {"alpha", "beta"})
      if (!from.contains(key)) wrong(inside(place, key), "is missing");
    read_if_there(from, "up_to", range.up_to, place);
    read(from["alpha"], range.alpha, inside(place, "alpha"));
    read(from["beta"], range.beta, inside(place, "beta"));
  });
  for (std::size_t i = 0; i < into.size(); ++i) {
    const bool last = i + 1 == into.size();
    const std::string place = fmt::format("{}[{}].up_to", where, i);
    if (last && into[i].up_to != kNever) wrong(place, "the last range has no end");
    if (!last && into[i].up_to == kNever) wrong(place, "is missing: only the last range has none");
    if (i > 0 && into[i].up_to <= into[i - 1].up_to)
      wrong(place, "must ascend from range to range");
  }
}

void read(const json& value, std::vector<LognP::Transfer>& into, const std::string& where) {
  read_parts(value, into, where,
             [](const json& from, LognP::Transfer& transfer, const auto& place) {
               check_keys(from, {"o", "g", "l"}, place);
               if (!from.contains("o")) wrong(inside(place, "o"), "is missing");
               read_if_there(from, "o", transfer.o, place);
               read_if_there(from, "g", transfer.g, place);
               read_if_there(from, "l", transfer.l, place);
             });
}

// At every point of either table: between them both are straight.
void gap_must_cover(const PLogP& model, const std::string& where) {
  for (const Curve* const overhead : {&model.o_s, &model.o_r})
    for (const Curve* const table : {overhead, &model.g})
      for (const Curve::Point& point : table->points())
        if ((*overhead)(point.bytes) > model.g(point.bytes))
          wrong(inside(where, "g"), fmt::format("must not be less than o_s and o_r, as it is at {} "
                                                "bytes",
                                                point.bytes));
}

template <class Some>
Some parameters_from(const json& given, const std::string& where, bool others_too) {
  must_be_object(given, where);
  Some model;
  std::set<std::string> known;
  Some::each(model, [&](const std::string& key, auto& member, const char* text) {
    known.insert(key);
    const bool both = (key == "o_s" || key == "o_r") && !given.contains(key) && given.contains("o");
    if (both) known.insert("o");
    if (!both && !given.contains(key))
      wrong(inside(where, key), fmt::format("is missing ({})", text));
    read(given[both ? "o" : key], member, inside(where, both ? "o" : key));
  });
  if (!others_too) check_keys(given, known, where);
  if constexpr (std::is_same_v<Some, PLogP>) gap_must_cover(model, where);
  return model;
}

constexpr const char* kGapByDestinations = "gap_by_destinations";

void read_factor(const json& value, double& into, const std::string& where) {
  read(value, into, where);
  expect(into > 0, where, "above zero", value);
}

// The factor on the gap of a level, over numbers of destinations.
std::optional<Curve> gap_by_destinations_in(const json& level, const std::string& level_name) {
  if (!level.contains(kGapByDestinations)) return {};
  const json& value = level[kGapByDestinations];
  const std::string where = inside(level_name, kGapByDestinations);
  if (!value.is_array()) {
    expect(value.is_number(), where, "a number, or an array of [destinations, factor]", value);
    double constant = 1;
    read_factor(value, constant, where);
    return Curve{constant};
  }
  if (value.empty()) wrong(where, "a table needs at least one point");
  std::vector<Curve::Point> points(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", where, i);
    expect(value[i].is_array() && value[i].size() == 2, place, "[destinations, factor]", value[i]);
    read(value[i][0], points[i].bytes, place + "[0]");
    read_factor(value[i][1], points[i].value, place + "[1]");
    if (i == 0 && points[i].bytes != 1) wrong(place, "the first point is that of 1 destination");
    if (i > 0 && points[i].bytes <= points[i - 1].bytes)
      wrong(place, "destinations must ascend from point to point");
  }
  return Curve{std::move(points)};
}

Model model_in(const json& object, const std::string& where, bool others_too) {
  for (const char* key : {"model", "parameters"})
    if (!object.contains(key)) wrong(inside(where, key), "is missing");
  expect(object["model"].is_string(), inside(where, "model"), "a name", object["model"]);
  return model_from_json(object["model"].get<std::string>(), object["parameters"],
                         inside(where, "parameters"), others_too);
}

void set(json& parameters, const std::string& key, double value) {
  if (key == "o") parameters.erase("o_s"), parameters.erase("o_r");
  parameters[key] = value == std::floor(value) && std::abs(value) < 1e15
                        ? json(static_cast<Bytes>(value))
                        : json(value);
}

std::set<std::string> names_in(const Model& model) {
  std::set<std::string> names;
  const auto add = [&](const std::string& key, const auto&, const char*) {
    names.insert(key);
    if (key == "o_s") names.insert("o");
  };
  std::visit([&](const auto& some) { some.each(some, add); }, model);
  return names;
}

// LogP's descendants mean the same by their names, so that one may have what another lacks.
bool alike_by_name(const Model& from, const Model& to) {
  const auto is_one_of_them = [](const Model& model) {
    return std::holds_alternative<LogP>(model) || std::holds_alternative<LogGP>(model) ||
           std::holds_alternative<LogGPS>(model);
  };
  return from.index() == to.index() ||
         (is_one_of_them(from) && (is_one_of_them(to) || std::holds_alternative<LogGPO>(to)));
}

// Refuses parameters that neither of the models has: a model that is made of another one's
// parameters passes over those that it does not have.
void check_changes(const Changes& changes, const std::string& where, const Model& from,
                   const Model& to) {
  json named = json::object();
  for (const auto& [name, value] : changes.parameters) {
    const std::size_t dot = name.find('.');
    if (dot == name.npos || name.substr(0, dot) == where) named[name.substr(dot + 1)] = value;
  }
  std::set<std::string> known = names_in(from);
  known.merge(names_in(to));
  known.insert(kGapByDestinations);
  check_keys(named, known, inside(where, "parameters"));
}

// Refuses a level that is not there.
void check_levels(const Changes& changes, const std::set<std::string>& levels) {
  json named = json::object();
  for (const auto& [name, value] : changes.parameters)
    if (const std::size_t dot = name.find('.'); dot != name.npos)
      named[name.substr(0, dot)] = value;
  if (levels.empty() && !named.empty())
    wrong(named.begin().key(), "there are no levels here: write the parameter's name alone");
  check_keys(named, levels, "levels");
}

// Changes what the level has, then the model, then what only the other model has.
void change(json& level, const std::string& where, const Changes& changes) {
  const bool to_another = !changes.model.empty() && level.contains("model") &&
                          level["model"].is_string() && level.contains("parameters");
  std::optional<Model> from, to;
  if (to_another) {
    from = model_named(level["model"].get<std::string>());
    to = model_named(changes.model);
    check_changes(changes, where, *from, *to);
    if (alike_by_name(*from, *to)) from.reset();
  }
  if (!changes.model.empty()) level["model"] = changes.model;
  if (!level.contains("parameters") || !level["parameters"].is_object()) return;
  json& parameters = level["parameters"];
  const auto apply = [&](bool before) {
    for (const auto& [name, value] : changes.parameters) {
      const std::size_t dot = name.find('.');
      if (dot != name.npos && name.substr(0, dot) != where) continue;
      const std::string key = dot == name.npos ? name : name.substr(dot + 1);
      if (before == (from && names_in(*from).contains(key)))
        set(key == kGapByDestinations ? level : parameters, key, value);
    }
  };
  if (from) {
    apply(true);
    const Model source =
        model_from_json(name_of(*from), parameters, inside(where, "parameters"), true);
    if (const auto made = converted(source, changes.model)) parameters = parameters_to_json(*made);
  }
  apply(false);
}

constexpr const char* kBetweenSockets = "between_sockets";

bool names_level(const Changes& changes, std::string_view level) {
  return std::ranges::any_of(changes.parameters, [level](const auto& change) {
    return change.first.substr(0, change.first.find('.')) == level;
  });
}

void read_compute(const json& object, Platform& platform) {
  if (!object.contains("compute")) return;
  const json& compute = object["compute"];
  must_be_object(compute, "compute");
  check_keys(compute, {"reduce_per_byte", "copy_per_byte", "piece"}, "compute");
  read_if_there(compute, "reduce_per_byte", platform.reduce_per_byte, "compute");
  read_if_there(compute, "copy_per_byte", platform.copy_per_byte, "compute");
  read_if_there(compute, "piece", platform.piece, "compute");
}

template <class Part>
void read_part(const json& object, const char* key, std::optional<Part>& into) {
  if (!object.contains(key)) return;
  must_be_object(object[key], key);
  std::set<std::string> known;
  into.emplace();
  Part::each(*into, [&](const char* name, auto& member, const char*) {
    known.insert(name);
    read_if_there(object[key], name, member, key);
  });
  check_keys(object[key], known, key);
}

template <class Part>
json part_to_json(const Part& part) {
  json all = json::object();
  Part::each(part, [&](const char* name, const auto& member, const char*) { all[name] = member; });
  return all;
}

// One object of texts and one whole number, all of which may be left out.
void read_words(const json& object, const char* where,
                const std::vector<std::pair<const char*, std::string*>>& texts,
                int* cores = nullptr) {
  if (!object.contains(where)) return;
  const json& words = object[where];
  must_be_object(words, where);
  std::set<std::string> known;
  if (cores) known.insert("cores");
  for (const auto& [key, into] : texts) known.insert(key);
  check_keys(words, known, where);
  for (const auto& [key, into] : texts) {
    if (!words.contains(key)) continue;
    expect(words[key].is_string(), inside(where, key), "a text", words[key]);
    *into = words[key].get<std::string>();
  }
  if (cores) read_if_there(words, "cores", *cores, where);
}

void read_origin(const json& object, Origin& origin) {
  read_words(object, "machine", {{"cpu", &origin.machine.cpu}}, &origin.machine.cores);
  read_words(object, "wire", {{"kind", &origin.wire}, {"device", &origin.device}});
  read_words(object, "measured", {{"date", &origin.date}, {"command", &origin.command}});
}

json written(const std::vector<Piecewise::Range>& ranges) {
  json all = json::array();
  for (const Piecewise::Range& range : ranges) {
    all.push_back({{"alpha", range.alpha}, {"beta", range.beta}});
    if (range.up_to != kNever) all.back()["up_to"] = range.up_to;
  }
  return all;
}
json written(const std::vector<LognP::Transfer>& transfers) {
  json all = json::array();
  for (const LognP::Transfer& transfer : transfers)
    all.push_back(
        {{"o", written(transfer.o)}, {"g", written(transfer.g)}, {"l", written(transfer.l)}});
  return all;
}

json written(const Model& model, const std::optional<Curve>& gap_by_destinations) {
  json level = {{"model", name_of(model)}, {"parameters", parameters_to_json(model)}};
  if (gap_by_destinations) level[kGapByDestinations] = written(*gap_by_destinations);
  return level;
}

}  // namespace

Model model_from_json(std::string_view model, const json& given, const std::string& where,
                      bool others_too) {
  Model blank = model_named(model);
  std::visit(
      [&](auto& some) {
        some = parameters_from<std::decay_t<decltype(some)>>(given, where, others_too);
      },
      blank);
  return blank;
}

json parameters_to_json(const Model& model) {
  json all = json::object();
  std::visit(
      [&](const auto& some) {
        some.each(some, [&](const char* key, const auto& member, const char*) {
          all[key] = written(member);
        });
      },
      model);
  return all;
}

Platform parse_platform(std::string_view text, const Changes& changes) {
  json object =
      parse_object(text, {"format", "name", "source", "model", "parameters", kGapByDestinations,
                          "within", "between", "between_sockets", "compute", "shared_ports",
                          "adapters", "machine", "wire", "measured", "cores", "budget"});
  Platform platform{.name = text_at(object, "name"), .source = text_at(object, "source")};
  GapByDestinations& gaps = platform.gap_by_destinations;
  if (object.contains("between") || object.contains("within")) {
    if (names_level(changes, kBetweenSockets) && object.contains("within"))
      object.emplace(kBetweenSockets, object["within"]);
    if (object.contains(kGapByDestinations))
      wrong(kGapByDestinations, "belongs in `within` or in `between` if there are two levels");
    const auto read_level = [&](const char* key, std::optional<Curve>& gaps) {
      if (!object.contains(key)) wrong(key, "is missing");
      must_be_object(object[key], key);
      check_keys(object[key], {"model", "parameters", kGapByDestinations}, key);
      change(object[key], key, changes);
      gaps = gap_by_destinations_in(object[key], key);
      return model_in(object[key], key, !changes.model.empty());
    };
    check_levels(changes, {"within", "between", kBetweenSockets});
    platform.within = read_level("within", gaps.within);
    platform.between = read_level("between", gaps.between);
    if (object.contains(kBetweenSockets))
      platform.between_sockets = read_level(kBetweenSockets, gaps.between_sockets);
  } else {
    if (object.contains(kBetweenSockets) || names_level(changes, kBetweenSockets))
      wrong(kBetweenSockets, "needs a model within nodes, and one between them");
    check_levels(changes, {});
    change(object, "", changes);
    gaps.between = gap_by_destinations_in(object, "");
    platform.between = model_in(object, "", !changes.model.empty());
  }
  read_compute(object, platform);
  read_origin(object, platform.origin);
  read_part(object, "cores", platform.cores);
  read_part(object, "budget", platform.budget);
  if (object.contains("shared_ports")) {
    expect(object["shared_ports"].is_boolean(), "shared_ports", "true or false",
           object["shared_ports"]);
    platform.shared_ports = object["shared_ports"].get<bool>();
  }
  if (object.contains("adapters")) {
    const json& adapters = object["adapters"];
    expect(adapters.is_number_integer() && adapters >= 1 && adapters <= kMostAdapters, "adapters",
           "a whole number from 1 to 64", adapters);
    platform.adapters = adapters.get<int>();
  }
  return platform;
}

json to_json(const Platform& platform) {
  json all = {{"format", kFormat},
              {"compute",
               {{"reduce_per_byte", platform.reduce_per_byte},
                {"copy_per_byte", platform.copy_per_byte},
                {"piece", platform.piece}}},
              {"shared_ports", platform.shared_ports}};
  if (platform.adapters > 1) all["adapters"] = platform.adapters;
  if (!platform.name.empty()) all["name"] = platform.name;
  if (!platform.source.empty()) all["source"] = platform.source;
  if (const Origin& origin = platform.origin; origin != Origin{}) {
    all["machine"] = {{"cpu", origin.machine.cpu}, {"cores", std::max(origin.machine.cores, 1)}};
    all["wire"] = {{"kind", origin.wire}, {"device", origin.device}};
    all["measured"] = {{"date", origin.date}, {"command", origin.command}};
  }
  if (platform.cores) all["cores"] = part_to_json(*platform.cores);
  if (platform.budget) all["budget"] = part_to_json(*platform.budget);
  const GapByDestinations& gaps = platform.gap_by_destinations;
  if (platform.within) {
    all["within"] = written(*platform.within, gaps.within);
    all["between"] = written(platform.between, gaps.between);
    if (platform.between_sockets)
      all[kBetweenSockets] = written(*platform.between_sockets, gaps.between_sockets);
  } else {
    all.update(written(platform.between, gaps.between));
  }
  return all;
}

}  // namespace tutti::models
