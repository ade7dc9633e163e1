// Values and tables in JSON, and what is wrong with them: what readers of parameters share. Each
// throws Error{bad_configuration}, which begins with the place.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/platform/curve.hpp"

namespace tutti::models::values {

using nlohmann::json;

[[noreturn]] void wrong(const std::string& where, const std::string& what);
void expect(bool condition, const std::string& where, std::string_view what, const json& got);
void must_be_object(const json& value, const std::string& where);
void check_keys(const json& object, const std::set<std::string>& known, const std::string& where);
std::string inside(const std::string& where, const std::string& key);

// A whole file: an object of this format (kFormat), with no other keys.
json parse_object(std::string_view text, const std::set<std::string>& known);
std::string text_at(const json& object, const char* key);  // empty: it is not there

void read(const json& value, double& into, const std::string& where);
void read(const json& value, Bytes& into, const std::string& where);
void read(const json& value, int& into, const std::string& where);
void read(const json& value, Curve& into, const std::string& where);
template <class Value>
void read_if_there(const json& object, const char* key, Value& into, const std::string& where) {
  if (object.contains(key)) read(object[key], into, inside(where, key));
}
template <class Part, class ReadOne>
void read_parts(const json& value, std::vector<Part>& into, const std::string& where,
                ReadOne&& one) {
  expect(value.is_array() && !value.empty(), where, "an array of at least one object", value);
  into.assign(value.size(), {});
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string place = fmt::format("{}[{}]", where, i);
    must_be_object(value[i], place);
    one(value[i], into[i], place);
  }
}

inline json written(double value) { return value; }
inline json written(Bytes value) { return value; }
inline json written(int value) { return value; }
json written(const Curve& curve);

}  // namespace tutti::models::values
