// Reads and checks.
#include "models/platform/json_values.hpp"

#include <fmt/ranges.h>

#include <cmath>

#include "base/error.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"

namespace tutti::models::values {
namespace {

constexpr double kMost = 1e15;  // sums over all steps and bytes stay far from the largest double

// An array or an object is only named as such: it may be of any length and depth.
std::string shown(const json& value) {
  return value.is_structured() ? std::string("an ") + value.type_name()
                               : fmt::format("{:.200}", json_text(value));
}

}  // namespace

void wrong(const std::string& where, const std::string& what) {
  throw Error(Code::bad_configuration, fmt::format("{}: {}", where, what));
}

void expect(bool condition, const std::string& where, std::string_view what, const json& got) {
  if (!condition) wrong(where, fmt::format("must be {}, not {}", what, shown(got)));
}

void must_be_object(const json& value, const std::string& where) {
  expect(value.is_object(), where, "an object", value);
}

void check_keys(const json& object, const std::set<std::string>& known, const std::string& where) {
  for (const auto& [key, value] : object.items())
    if (!known.count(key))
      wrong(where, fmt::format("there is no '{:.200}' here, but {}", key, fmt::join(known, ", ")));
}

std::string inside(const std::string& where, const std::string& key) {
  return where.empty() ? key : where + "." + key;
}

void read(const json& value, double& into, const std::string& where) {
  expect(value.is_number(), where, "a number", value);
  into = value.get<double>();
  expect(std::isfinite(into) && into >= 0, where, "zero or more", value);
  expect(into <= kMost, where, "1e15 or less", value);
}

void read(const json& value, Bytes& into, const std::string& where) {
  expect(value.is_number_integer() && value.get<Bytes>() >= 0, where,
         "a whole number, zero or more", value);
  into = value.get<Bytes>();
}

void read(const json& value, int& into, const std::string& where) {
  expect(value.is_number_integer() && value.get<Bytes>() >= 1 && value.get<Bytes>() <= 1 << 20,
         where, "a whole number from 1 to 1048576", value);
  into = value.get<int>();
}

void read(const json& value, Curve& into, const std::string& where) {
  if (!value.is_array()) {
    expect(value.is_number(), where, "a number, or an array of [bytes, value]", value);
    double constant = 0;
    read(value, constant, where);
    into = Curve{constant};
    return;
  }
  std::vector<Curve::Point> points;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", where, i);
    expect(value[i].is_array() && value[i].size() == 2, place, "[bytes, value]", value[i]);
    Curve::Point point{};
    read(value[i][0], point.bytes, place + "[0]");
    read(value[i][1], point.value, place + "[1]");
    if (!points.empty() && point.bytes <= points.back().bytes)
      wrong(place, "bytes must ascend from point to point");
    points.push_back(point);
  }
  if (points.empty()) wrong(where, "a table needs at least one point");
  into = Curve{std::move(points)};
}

std::string text_at(const json& object, const char* key) {
  if (!object.contains(key)) return {};
  expect(object[key].is_string(), key, "a text", object[key]);
  return object[key].get<std::string>();
}

json parse_object(std::string_view text, const std::set<std::string>& known) {
  json object;
  try {
    object = parse_json(text);
  } catch (const json::exception& error) {
    throw Error(Code::bad_configuration, fmt::format("not JSON: {:.200}", error.what()));
  }
  expect(object.is_object(), "the file", "an object", object);
  if (object.contains("format") && object["format"] != kFormat)
    wrong("format", fmt::format("this program reads format {}, not {}; measure again", kFormat,
                                shown(object["format"])));
  check_keys(object, known, "the file");
  return object;
}

json written(const Curve& curve) {
  if (curve.constant()) return curve.points().front().value;
  json table = json::array();
  for (const Curve::Point& point : curve.points()) table.push_back({point.bytes, point.value});
  return table;
}

}  // namespace tutti::models::values
