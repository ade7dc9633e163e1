// Prints predictions as text and JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "models/papers/bluegene_p.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "models/platform/names.hpp"
#include "tools/predict/predict.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using collectives::StepKind;
using nlohmann::json;

// Microseconds, to the nanosecond.
std::string us(double time) { return fmt::format("{:.3f}", time); }

void print_path(const Prediction& p) {
  const auto& path = p.result.critical_path;
  if (path.empty()) return;
  std::size_t messages = 0;
  std::string ranks;
  constexpr std::size_t kMostShown = 12;
  for (const std::size_t i : path) {
    const models::Bar& bar = p.result.bars[i];
    if (bar.kind != StepKind::send) continue;
    if (messages++ < kMostShown)
      ranks += fmt::format("{}{}->{}", ranks.empty() ? "" : ", ", bar.rank, bar.peer);
  }
  if (messages > kMostShown) ranks += ", ...";
  fmt::print("  critical path  {}, {}: {}\n", counted(path.size(), "step"),
             counted(messages, "message"), ranks);
}

std::vector<std::string_view> assumptions_of(const models::ClosedForm& form) {
  std::vector<std::string_view> texts;
  for (const models::Assumption* const some : form.assumes)
    if (some) texts.push_back(some->text);
  return texts;
}

// "agrees if g >= o; otherwise a lower bound"
std::string claim_of(const models::ClosedForm& form) {
  std::string text(word_of(form.claim));
  const auto assumed = assumptions_of(form);
  if (assumed.empty()) return text;
  text += fmt::format(" if {}", fmt::join(assumed, " and "));
  if (form.otherwise != models::Claim::apart)
    text += fmt::format("; otherwise {}", word_of(form.otherwise));
  return text;
}

// "0.9626 to 1.346 times as long in 336 cases, equal in 274"
std::string range_text(const models::Comparison::Cases& cases, const char* as_much) {
  const std::string least = four_digits(cases.least), most = four_digits(cases.most);
  std::string text = cases.equal == cases.count ? as_much
                     : least == most            ? fmt::format("{} times {}", least, as_much)
                                     : fmt::format("{} to {} times {}", least, most, as_much);
  text += fmt::format(" in {}", counted(cases.count, "case"));
  if (cases.equal > 0 && cases.equal < cases.count)
    text += fmt::format(", equal in {}", cases.equal);
  return text;
}

// How the simulation compares: where all is so that the formula assumes, and where it is not.
std::string found_text(const models::Comparison& found) {
  const bool time = found.form->quantity == models::Quantity::time;
  const char* const as_much = time ? "as long" : "as much";
  std::string all =
      fmt::format("{} {}", time ? "simulated it takes" : "the simulated difference is",
                  range_text(found.assumed, as_much));
  if (found.others.count == 0) return all;
  return fmt::format("where that is so, {}; else {}", all, range_text(found.others, as_much));
}

json json_of(const models::Comparison::Cases& cases) {
  if (cases.count == 0) return {{"cases", 0}};
  return {{"cases", cases.count},
          {"equal", cases.equal},
          {"least_ratio", cases.least},
          {"most_ratio", cases.most}};
}

json json_of(const models::Traffic& traffic) {
  return {{"messages", traffic.messages}, {"bytes", traffic.bytes}};
}

void add_details(json& one, const Prediction& p) {
  one["finished_us"] = p.result.finished;
  one["node_of_rank"] = p.node;
  if (!p.socket.empty()) one["socket_of_rank"] = p.socket;
  one["nodes"] = json::array();
  for (const auto& node : p.result.nodes)
    one["nodes"].push_back({{"sent", json_of(node.sent)}, {"received", json_of(node.received)}});
  one["links"] = json::array();
  for (const auto& [ends, traffic] : p.result.links) {
    json link = json_of(traffic);
    link.update({{"from", ends.first}, {"to", ends.second}});
    one["links"].push_back(std::move(link));
  }
}

void print_details(const Prediction& p) {
  fmt::print("  {:>8} {:>8} {:>14}\n", "rank", "node", "finished us");
  for (std::size_t rank = 0; rank < p.result.finished.size(); ++rank)
    fmt::print("  {:>8} {:>8} {:>14}\n", rank, p.node[rank], us(p.result.finished[rank]));
  fmt::print("  {:>8} {:>13} {:>14} {:>13} {:>14}\n", "node", "messages out", "bytes out",
             "messages in", "bytes in");
  for (std::size_t node = 0; node < p.result.nodes.size(); ++node) {
    const auto& [sent, received] = p.result.nodes[node];
    fmt::print("  {:>8} {:>13} {:>14} {:>13} {:>14}\n", node, sent.messages, sent.bytes,
               received.messages, received.bytes);
  }
  if (!p.result.links.empty())
    fmt::print("  {:>8} {:>8} {:>13} {:>14}\n", "node", "to node", "messages", "bytes");
  for (const auto& [ends, traffic] : p.result.links)
    fmt::print("  {:>8} {:>8} {:>13} {:>14}\n", ends.first, ends.second, traffic.messages,
               traffic.bytes);
}

json json_of(const Prediction& p) {
  json one = {{"collective", name_of(p.what.collective)},
              {"algorithm", to_string(p.what.choice)},
              {"ranks", p.what.P},
              {"bytes", p.what.bytes},
              {"model", name_of(p.platform->between)},
              {"parameters", p.platform->name},
              {"time_us", p.result.time},
              {"messages_within_nodes", p.result.within.messages},
              {"bytes_within_nodes", p.result.within.bytes},
              {"messages_between_nodes", p.result.between.messages},
              {"bytes_between_nodes", p.result.between.bytes},
              {"messages_between_sockets", p.result.between_sockets.messages},
              {"bytes_between_sockets", p.result.between_sockets.bytes},
              {"digest", p.digest},
              {"closed_forms", json::array()}};
  for (const auto& [form, time, simulated, verdict] : p.printed)
    one["closed_forms"].push_back({{"where", form.where},
                                   {"formula", form.text},
                                   {"time_us", time},
                                   {"simulated_us", simulated},
                                   {"claim", word_of(verdict.claim)},
                                   {"assumes", assumptions_of(form)},
                                   {"not_so_here", verdict.broken ? verdict.broken->text : ""},
                                   {"why", form.why}});
  return one;
}

}  // namespace

std::string describe(const models::Platform& platform, bool several_nodes) {
  std::string text{name_of(platform.between)};
  if (platform.within && !several_nodes)
    text = name_of(*platform.within);
  else if (platform.within && name_of(*platform.within) == text)
    text += " within and between nodes";
  else if (platform.within)
    text = fmt::format("{} within nodes, {} between them", name_of(*platform.within), text);
  text += ", " + platform.name;
  if (!platform.source.empty()) text += fmt::format(" ({})", platform.source);
  return text;
}

void print_one(const Prediction& p, bool details) {
  fmt::print("{}", to_string(p.what));
  const bool several_nodes =
      std::ranges::adjacent_find(p.node, std::not_equal_to()) != p.node.end();
  fmt::print("; {}\n  simulated      {} us\n", describe(*p.platform, several_nodes),
             us(p.result.time));
  fmt::print("  messages       {} between nodes ({}), {} within ({})\n", p.result.between.messages,
             counted(p.result.between.bytes, "byte"), p.result.within.messages,
             counted(p.result.within.bytes, "byte"));
  if (!p.socket.empty())
    fmt::print("                 {} of the latter between sockets ({})\n",
               p.result.between_sockets.messages, counted(p.result.between_sockets.bytes, "byte"));
  print_path(p);
  fmt::print("  schedule       {} (digest of rank 0)\n", p.digest);
  for (const auto& [form, time, simulated, verdict] : p.printed) {
    fmt::print(
        "{}{}",
        paragraph(fmt::format("{:<13}  {} us = {}", form.where, us(time), form.text), 17, 2),
        paragraph(
            fmt::format("{}{}",
                        time > 0 ? fmt::format("simulated/formula {:.4f}; ", simulated / time) : "",
                        sentence_of(form, verdict)),
            17));
  }
  if (details) print_details(p);
}

void print_table(const std::vector<Prediction>& predictions) {
  // The least time of those that can be compared.
  const auto key = [](const Prediction& p) {
    return std::tuple(p.platform, p.what.collective, p.what.P, p.what.bytes);
  };
  std::map<decltype(key(predictions.front())), double> best;
  for (const Prediction& p : predictions) {
    const auto [at, first] = best.try_emplace(key(p), p.result.time);
    if (!first) at->second = std::min(at->second, p.result.time);
  }
  std::size_t width = 30;
  for (const Prediction& p : predictions)
    width = std::max(width, with_units(to_string(p.what.choice)).size());
  const models::Platform* platform = nullptr;
  for (const Prediction& p : predictions) {
    if (std::exchange(platform, p.platform) != p.platform)
      fmt::print("\n{}{:<18} {:<{}} {:>8} {:>12} {:>12} {:>8}\n",
                 paragraph(describe(*p.platform), 4, 0), "collective", "algorithm", width, "ranks",
                 "bytes", "us", "x best");
    const double least = best[key(p)];
    fmt::print("{:<18} {:<{}} {:>8} {:>12} {:>12} {:>8}\n", name_of(p.what.collective),
               with_units(to_string(p.what.choice)), width, p.what.P, p.what.bytes,
               us(p.result.time), least > 0 ? fmt::format("{:.2f}", p.result.time / least) : "-");
    std::string printed;
    for (const auto& [form, time, simulated, verdict] : p.printed)
      printed += fmt::format("{}{} ({}, {})", printed.empty() ? "by formula, us: " : "; ", us(time),
                             form.where, word_of(verdict.claim));
    fmt::print("{}", paragraph(printed, 6, 4));
  }
}

void print_json(const std::vector<Prediction>& predictions, bool details) {
  json all = json::array();
  for (const Prediction& p : predictions) {
    all.push_back(json_of(p));
    if (details) add_details(all.back(), p);
  }
  fmt::print("{}\n", models::json_text(all, 2));
}

void print_models() {
  fmt::print("Models, with the parameters that a file or --set gives:\n");
  for (const models::Model& model : models::models()) {
    fmt::print("{}\n", name_of(model));
    std::visit(
        [](const auto& some) {
          some.each(some, [](const char* name, const auto&, const char* text) {
            fmt::print("{}", paragraph(fmt::format("{:<10} {}", name, text), 15, 4));
          });
        },
        model);
  }
  fmt::print(
      "tau-lop\n    (expressions over transfers: --symbolic; parameters only from a file)\n");
  fmt::print("\nParameters that Tutti brings along:\n");
  for (const auto& some : models::shipped_platforms())
    fmt::print("{:<16} {}\n", some.name, some.source);
  fmt::print("\nParameters that the papers print:\n");
  for (const auto& some : models::published())
    fmt::print("{}",
               paragraph(fmt::format("{:<16} {}: {}", some.name, some.source, some.what), 17, 0));
}

void print_bluegene_p(const PredictOptions& options) {
  json all = json::array();
  for (const models::Statement& some : models::bluegene_p()) {
    json times = json::array();
    for (const int P : ranks_of(options))
      for (const Bytes bytes : sizes_of(options))
        times.push_back({{"ranks", P},
                         {"bytes", bytes},
                         {"least_us", some.least(P, bytes)},
                         {"most_us", some.most(P, bytes)}});
    all.push_back({{"what", some.what},
                   {"where", some.where},
                   {"grows", some.grows},
                   {"terms", some.terms},
                   {"why", some.why},
                   {"times", times}});
  }
  if (options.json) {
    fmt::print("{}\n", models::json_text(all, 2));
    return;
  }
  for (const json& one : all) {
    const auto text = [&one](const char* key) { return one[key].get<std::string>(); };
    fmt::print(
        "{}{}{}",
        paragraph(fmt::format("{} ({}): {}", text("what"), text("where"), text("grows")), 4, 0),
        paragraph(fmt::format("T = {}", text("terms")), 6, 2), paragraph(text("why"), 4, 2));
    for (const json& time : one["times"])
      fmt::print("  {:>8} ranks {:>12} bytes {:>14} to {} us\n", time["ranks"].get<int>(),
                 time["bytes"].get<Bytes>(), us(time["least_us"].get<double>()),
                 us(time["most_us"].get<double>()));
  }
}

bool print_check(bool as_json) {
  const std::vector<models::ClosedForm> forms = models::closed_forms();
  std::map<models::Claim, int> counted;
  int broken = 0;
  json all = json::array();
  for (const models::Comparison& found :
       models::compare(forms, models::models_to_compare(), models::calls_to_compare())) {
    const models::ClosedForm& form = *found.form;
    ++counted[form.claim];
    broken += found.broken == 0 ? 0 : 1;
    all.push_back({{"where", form.where},
                   {"collective", name_of(form.collective)},
                   {"algorithm", form.algorithm},
                   {"formula", form.text},
                   {"claim", word_of(form.claim)},
                   {"assumes", assumptions_of(form)},
                   {"otherwise", word_of(form.otherwise)},
                   {"holds", found.broken == 0},
                   {"why", form.why},
                   {"cases", found.all.count},
                   {"equal", found.all.equal},
                   {"assumed", found.assumed.count},
                   {"least_ratio", found.all.least},
                   {"most_ratio", found.all.most},
                   {"where_assumed", json_of(found.assumed)},
                   {"elsewhere", json_of(found.others)}});
    if (as_json) continue;
    constexpr std::size_t kBelow = 13;  // the name of the formula
    fmt::print("{}{}",
               paragraph(fmt::format("{:<12} {} {}: T = {}", form.where, name_of(form.collective),
                                     form.algorithm, form.text),
                         kBelow, 0),
               paragraph(fmt::format("{}: {}", claim_of(form), found_text(found)), kBelow));
    if (found.broken > 0)
      fmt::print("{}", paragraph(fmt::format("THAT IS NOT SO in {}", found.first_broken), kBelow));
    fmt::print("{}", paragraph(form.why, kBelow));
  }
  if (as_json) {
    fmt::print("{}\n", models::json_text(all, 2));
    return broken == 0;
  }
  fmt::print(
      "\n{}{}\n",
      paragraph(fmt::format("{} formulas: {} agree with the simulation where their "
                            "assumptions hold, {} are upper bounds, {} lower bounds, {} differ;",
                            forms.size(), counted[models::Claim::equal],
                            counted[models::Claim::not_above], counted[models::Claim::not_below],
                            counted[models::Claim::apart]),
                0),
      broken == 0 ? "every claim holds" : fmt::format("{} claims do NOT hold", broken));
  return broken == 0;
}

}  // namespace tutti::tools
