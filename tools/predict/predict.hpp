// Predictions of `tutti predict`, and the interfaces of its parts: cases.cpp computes,
// report.cpp prints, compare.cpp lays measurements (measurements.cpp) beside predictions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collectives/selection/choices.hpp"
#include "models/papers/closed_forms.hpp"
#include "models/predictor.hpp"
#include "models/simulation/simulator.hpp"

namespace tutti::tools {

class Command;

// The options as the user wrote them.
struct PredictOptions {
  std::vector<std::string> models, params, set, collectives, algorithms, ranks, bytes;
  std::string mapping = "blocks";    // tools/mapping.hpp
  std::string torus;                 // tools/torus.hpp
  int ranks_per_node = 1, root = 0;  // the former may be kAllOnOneNode
  int sockets = 1;                   // of a node
  int calls = 0;                     // that follow each other; 0: one, or as many as were measured
  std::string eager;
  double reduce_per_byte = -1, copy_per_byte = -1;  // −1: the platform's
  int adapters = 0;                                 // 0: the platform's
  double congestion = 1, noise = 0, late = 0;
  std::uint64_t seed = 1;
  bool shared_ports = false, check = false, list = false, json = false, show = false,
       symbolic = false, bluegene_p = false, details = false;
  std::string compare, svg, segment, program;
};

// One simulation.
struct Case {
  static constexpr int kMostRanks = 1 << 20;
  static constexpr Bytes kMostBytes = Bytes{1} << 40;

  collectives::Collective collective;
  collectives::Choice choice;
  int P;
  Bytes bytes;
};
// "bcast chain(k=1), 8 ranks, 64 KiB"; a barrier has no bytes.
std::string to_string(const Case& what);

struct Prediction {
  Case what;
  const models::Platform* platform;
  models::Result result;
  std::string digest;  // of rank 0's schedule, as the bench prints it
  struct Printed {
    models::ClosedForm form;
    double time;
    double simulated;  // the other side of the comparison: the call's time, or the form's quantity
    models::Verdict verdict;
  };
  std::vector<Printed> printed;  // closed forms
  std::vector<int> node{};       // of each rank
  std::vector<int> socket{};     // of each rank; empty: one a node
};

// Whether they name a model or parameters. If not, it is this machine that is meant.
bool names_machine(const PredictOptions& options);
// The platforms that the options name; throws Error{bad_configuration}, which says what there is.
// This machine's are those of a job on several nodes, or on one.
std::vector<models::Platform> platforms_of(const PredictOptions& options, bool several_nodes);
std::vector<collectives::Collective> collectives_of(const PredictOptions& options);
std::vector<collectives::Choice> choices_of(const PredictOptions& options,
                                            collectives::Collective collective);
std::vector<int> ranks_of(const PredictOptions& options);
std::vector<Bytes> sizes_of(const PredictOptions& options);

// The options of `predict` that other commands take as well: of the platform; of the call; and of
// how the simulator takes them. A picture is of one platform and one call.
enum class HowMany { one, several };
void add_platform(const Command& command, PredictOptions& options, HowMany how_many);
void add_call(const Command& command, PredictOptions& options, HowMany how_many);
void add_setting(const Command& command, PredictOptions& options);

// Throws Error{bad_configuration}: the command line has options of add_call() and add_setting()
// that these collectives, or the simulator as it is set, would pass over.
void refuse_passed_over(const Command& command, const PredictOptions& options,
                        std::span<const collectives::Collective> named);

// The problem of rank 0.
collectives::Problem problem_of(const PredictOptions& options, const Case& what);
// Throws Error{bad_configuration}: --mapping names a file that is not of P ranks.
std::vector<int> nodes_of(const PredictOptions& options, int P);
bool has_several_nodes(const PredictOptions& options, int P);
bool may_share_nodes(const PredictOptions& options);
// How the simulator takes the calls of P ranks.
models::SimulationOptions setting_of(const PredictOptions& options, int P);
// Why it cannot be predicted, if it cannot: the algorithm does not apply, or all ranks together
// have too many steps: 10^8 of them take some 2 GB.
std::optional<std::string> why_not(const PredictOptions& options, const Case& what,
                                   double most_steps = 1e8);
// `record`: with the critical path. For several calls in a row the time is that of one, all else of
// all of them.
Prediction predict(const PredictOptions& options, const Case& what,
                   const models::Platform& platform, bool record = false);

// "loggp, Boba (OCC table 5)"; on one node only what holds there.
std::string describe(const models::Platform& platform, bool several_nodes = true);
// `details`: when each rank has finished, and what each node and each link carries.
void print_one(const Prediction& prediction, bool details = false);
void print_table(const std::vector<Prediction>& predictions);
void print_json(const std::vector<Prediction>& predictions, bool details = false);
// An SVG file; throws Error{bad_configuration} if there is only one size and number of ranks.
void write_curves(const std::string& path, const std::vector<Prediction>& predictions);
void print_models();
// HPM's statements on BlueGene/P.
void print_bluegene_p(const PredictOptions& options);
// Every closed form beside the simulator; true: each claim holds wherever it is made.
bool print_check(bool json);
// Is it τ-Lop that is asked? It has no messages' times, but expressions over whole stages.
bool is_tau_lop(const PredictOptions& options);
models::tau_lop::Parameters tau_lop_parameters_of(const PredictOptions& options);
int run_tau_lop(const PredictOptions& options, const std::vector<Case>& cases);
// The costs of the program in the file options.program (models/kernel/).
int run_program(const PredictOptions& options);
// The rows of a file that the bench wrote, predicted.
void print_comparison(const PredictOptions& options);

}  // namespace tutti::tools
