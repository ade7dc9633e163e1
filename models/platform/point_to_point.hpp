// The point-to-point models of the papers, a small type each: named parameters, and costs() of one
// message. Parameters are in microseconds, and in microseconds per byte where they are said to be
// "per byte"; sizes are in bytes. Pure.
//
// each() visits a model's parameters as visit(name, member, text), so that reading, writing and
// documentation need no list of their own.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "models/platform/costs.hpp"
#include "models/platform/curve.hpp"

namespace tutti::models {

// T(m) = α(m) + β(m)·m; the next message after the same time. OCC §3.1, BEO eq. 1.
struct Hockney {
  static constexpr std::string_view kName = "hockney";
  Curve alpha, beta;
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("alpha", self.alpha, "start-up of a message, us; a number or a table over its size");
    visit("beta", self.beta, "us per byte; a number or a table over the message's size");
  }
  Costs costs(Bytes m) const noexcept;
};

// The sender is busy for S(m) = α_s + β_s·m, then the receiver for R(m) = α_r + β_r·m. BEO §3.1,
// which counts elements of 8 bytes; here β is per byte.
struct SplitHockney {
  static constexpr std::string_view kName = "split-hockney";
  double alpha_s = 0, alpha_r = 0, beta_s = 0, beta_r = 0;
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("alpha_s", self.alpha_s, "start-up at the sender, us");
    visit("alpha_r", self.alpha_r, "start-up at the receiver, us");
    visit("beta_s", self.beta_s, "at the sender, us per byte");
    visit("beta_r", self.beta_r, "at the receiver, us per byte");
  }
  Costs costs(Bytes m) const noexcept;
};

// α_i + β_i·m by ranges of m. HPM eq. 1.
struct Piecewise {
  static constexpr std::string_view kName = "piecewise";
  struct Range {
    Bytes up_to = kNever;  // the longest message of the range
    double alpha = 0, beta = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  std::vector<Range> ranges{{}};  // in ascending order; the last one has no end
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("ranges", self.ranges, "objects {up_to (bytes; the last one has none), alpha, beta}");
  }
  Costs costs(Bytes m) const noexcept;
};

// L + o_s + o_r, whatever the size; messages of one port at least g apart. OCC §3.1, IB §4.2.3.
struct LogP {
  static constexpr std::string_view kName = "logp";
  double L = 0, o_s = 0, o_r = 0, g = 0;
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("L", self.L, "latency: the longest time on the wire, us");
    visit("o_s", self.o_s, "overhead: the sender's processor, us (`o`: o_s and o_r)");
    visit("o_r", self.o_r, "overhead: the receiver's processor, us");
    visit("g", self.g, "gap: the shortest time between two messages of a port, us");
  }
  Costs costs(Bytes m) const noexcept;
};

// L + o_s + o_r + (m−1)G; the next message after g + (m−1)G. OCC §3.1, IB §4.3.2.
struct LogGP {
  static constexpr std::string_view kName = "loggp";
  double L = 0, o_s = 0, o_r = 0, g = 0, G = 0;
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    LogP::each(self, visit);
    visit("G", self.G, "gap per byte of a long message, us");
  }
  Costs costs(Bytes m) const noexcept;
};

// LogGP; and for more than S bytes the sender waits for the receiver. HPM §3.
struct LogGPS {
  static constexpr std::string_view kName = "loggps";
  double L = 0, o_s = 0, o_r = 0, g = 0, G = 0;
  Bytes S = 0;
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    LogGP::each(self, visit);
    visit("S", self.S, "longest message that does not wait for its receiver, bytes");
  }
  Costs costs(Bytes m) const noexcept;
};

// LogGP with an overhead of o + O·m at either end. HPM §3.
struct LogGPO {
  static constexpr std::string_view kName = "loggp-overhead";
  double L = 0, o_s = 0, o_r = 0, g = 0, G = 0, O = 0;
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    LogGP::each(self, visit);
    visit("O", self.O, "overhead per byte at either end, us");
  }
  Costs costs(Bytes m) const noexcept;
};

// LogP whose first f messages of a burst are free of g, and whose overhead per message falls with
// the number n of messages of a burst. IB §4.3.2, which names only the two ends of the fall; in
// between it is o(n) = o_min + (o_max − o_min)/n: the first message costs o_max, each other o_min.
struct LogfP {
  static constexpr std::string_view kName = "logfp";
  double L = 0, o_s_min = 0, o_s_max = 0, o_r_min = 0, o_r_max = 0, g = 0;
  int f = 1;
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("L", self.L, "latency, us");
    visit("o_s_min", self.o_s_min, "sender's overhead for a message of a long burst, us");
    visit("o_s_max", self.o_s_max, "sender's overhead for a single message, us");
    visit("o_r_min", self.o_r_min, "receiver's overhead for a message of a long burst, us");
    visit("o_r_max", self.o_r_max, "receiver's overhead for a single message, us");
    visit("g", self.g, "gap, us");
    visit("f", self.f, "messages that are free of the gap");
  }
  double o_s(int n) const noexcept { return o_s_min + (o_s_max - o_s_min) / n; }
  double o_r(int n) const noexcept { return o_r_min + (o_r_max - o_r_min) / n; }
  Costs costs(Bytes m) const noexcept;
};

// L + g(m), of which o_s(m) and o_r(m) are the processors'; the next message after g(m), which is
// not less than either overhead. OCC §3.1.
struct PLogP {
  static constexpr std::string_view kName = "plogp";
  double L = 0;
  Curve o_s, o_r, g;
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit("L", self.L, "end-to-end latency, us");
    visit("o_s", self.o_s, "sender's overhead, us; a number or a table over the message's size");
    visit("o_r", self.o_r, "receiver's overhead, us; a number or a table");
    visit("g", self.g, "gap, us; a number or a table; not less than o_s or o_r");
  }
  Costs costs(Bytes m) const noexcept;
};

// A message is a sequence of transfers, each of which costs max{o_i(m), g_i(m)} + l_i(m): the first
// one the sender's processor, the last one the receiver's. TAU eq. 2.4. A platform whose two levels
// have different numbers of transfers is mlog_nP (TAU §5.1).
struct LognP {
  static constexpr std::string_view kName = "lognp";
  struct Transfer {
    Curve o, g, l;
    friend bool operator==(const Transfer&, const Transfer&) = default;
  };
  std::vector<Transfer> transfers{{}, {}};
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit(
        "transfers", self.transfers,
        "objects {o, g, l}, one for each transfer: overhead, gap (0 if not given), and extra time "
        "for scattered data (0), us; numbers or tables");
  }
  Costs costs(Bytes m) const noexcept;
};

using Model = std::variant<Hockney, SplitHockney, Piecewise, LogP, LogGP, LogGPS, LogGPO, LogfP,
                           PLogP, LognP>;

std::string_view name_of(const Model& model) noexcept;
inline Costs costs_of(const Model& model, Bytes m) noexcept {
  return std::visit([m](const auto& some) { return some.costs(m); }, model);
}
// The model in a network whose bytes take `factor` times as long: G and β, and the values of a
// table of gaps beyond its first point. Overheads and start-ups stay; logp and logfp know no bytes.
Model congested(Model model, double factor);
// `costs` of a message at a sending port whose gap is that many times as long (GapByDestinations).
// The factor is one on the gap of a message without bytes: what its bytes add is the wire's.
Costs with_gap(const Model& model, Costs costs, double factor) noexcept;
// The longest message that does not wait for its receiver.
Bytes rendezvous_above(const Model& model) noexcept;
// T(m): from the start of a send until the message is received, if nothing else happens.
double time_of(const Model& model, Bytes m) noexcept;

}  // namespace tutti::models
