// A second opinion on the verifier: every algorithm run on real bytes, one step at a time, in
// random order. Messages wait in mailboxes without bound.
#include <catch2/catch.hpp>
#include <random>

#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/form.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "collectives/analysis/world.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/reference.hpp"

using namespace tutti;
using namespace tutti::tests;
using collectives::Place;
using collectives::Slice;
using collectives::Step;
using collectives::StepKind;
using collectives::World;

namespace {

class RealBytes {
 public:
  RealBytes(World& world, const std::vector<Problem>& problems)
      : world_(world), combine_(combine_of(problems.front())), mail_(world.steps()) {
    for (Rank rank = 0; rank < world.P(); ++rank) {
      buffers.emplace_back(problems[index(rank)]);
      scratch_.emplace_back(index(world.schedule(rank).scratch_bytes), std::byte{0xEE});
    }
  }

  void run_in_random_order(std::mt19937& random) {
    std::vector<Place> active;
    const auto take = [&](Rank rank) {
      world_.take_ready(rank, [&](Place place) { active.push_back(place); });
    };
    for (Rank rank = 0; rank < world_.P(); ++rank) take(rank);
    for (int idle = 0; !world_.finished() && idle < 100000; ++idle) {
      const std::size_t which = random() % active.size();
      const Place place = active[which];
      if (!run(place)) continue;
      active[which] = active.back();
      active.pop_back();
      world_.done(place);
      take(place.rank);
      idle = 0;
    }
    REQUIRE(world_.finished());
  }

  std::vector<Buffers> buffers;  // by rank

 private:
  std::byte* at(Rank rank, const Slice& slice) {
    Buffers& mine = buffers[index(rank)];
    auto& memory = slice.buffer == collectives::Buffer::input    ? mine.input
                   : slice.buffer == collectives::Buffer::output ? mine.output
                                                                 : scratch_[index(rank)];
    return memory.data() + slice.offset;
  }

  void combine(bool reversed, const std::byte* left, const std::byte* right, std::byte* out,
               Bytes bytes) {
    if (reversed) std::swap(left, right);
    combine_.apply(combine_.context, left, right, out, bytes);
  }

  // false: it is a receive whose message has not come.
  bool run(Place place) {
    const Step& step = world_.step(place);
    std::byte *const source = at(place.rank, step.source), *const target =
                                                               at(place.rank, step.target);
    const Bytes length = length_of(step);
    if (step.kind == StepKind::send) {
      mail_[world_.number(place)] = std::vector<std::byte>(source, source + length);
    } else if (receives(step.kind)) {
      const auto& message = mail_[world_.number(world_.partner(place))];
      if (!message) return false;
      if (step.kind == StepKind::recv)
        std::copy(message->begin(), message->end(), target);
      else
        combine(step.reversed, source, message->data(), target, length);
    } else if (step.kind == StepKind::copy) {
      std::copy(source, source + length, target);
    } else {
      combine(step.reversed, target, source, target, length);
    }
    return true;
  }

  World& world_;
  const Combine combine_;
  std::vector<std::vector<std::byte>> scratch_;              // by rank
  std::vector<std::optional<std::vector<std::byte>>> mail_;  // by step: of sends that ran
};

// A wrong schedule fails the test before any byte is touched, and does not end the program.
void require_sound(const World& world) {
  for (Rank rank = 0; rank < world.P(); ++rank) {
    const collectives::Verdict form = check_form(world.schedule(rank), world.P(), rank);
    INFO(form.message);
    REQUIRE(form.ok());
  }
  INFO(world.messages().message);
  REQUIRE(world.messages().ok());
}

}  // namespace

TEST_CASE("real bytes in random order give what was proved", "[real bytes]") {
  std::mt19937 random{20240607};
  for (const collectives::Algorithm& algorithm : collectives::algorithms()) {
    for (int P : {1, 2, 3, 5, 8, 11}) {
      if (P > tests::unless_sanitized(11, 5)) break;
      for (int k : {1, 2, 3}) {
        Problem problem{{.collective = algorithm.collective, .root = P / 2, .bytes = 36}, P};
        if (problem.collective == Collective::barrier) problem.bytes = 0;
        if (reduces(problem.collective)) {
          problem.element = kElement;
          problem.commutative =
              random() % 2 == 0 || algorithm.needs.has(collectives::Condition::commutative);
        }
        give_needed_neighbours(algorithm, problem);
        problem.in_place = may_be_in_place(problem.collective) && random() % 2 == 0;
        INFO(name_of(algorithm.collective)
             << " " << algorithm.name << " P=" << P << " k=" << k
             << " in place: " << problem.in_place << " commutative: " << problem.commutative);
        const collectives::Parameters parameters{.k = algorithm.traits.k ? k : 1,
                                                 .segment = algorithm.traits.segment ? 5 * k : 0};
        if (why_not(algorithm, problem, parameters)) continue;
        const auto problems = problems_of_all_ranks(problem);
        World world(P,
                    [&](Rank rank) { return algorithm.build(problems[index(rank)], parameters); });
        require_sound(world);
        RealBytes bytes(world, problems);
        bytes.run_in_random_order(random);
        for (const Buffers& buffers : bytes.buffers) CHECK(buffers.right(problems));
      }
    }
  }
}
