// The user's choice: what is read, and what is said when it cannot be.
#include "collectives/algorithms/catalogue.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "collectives/selection/table.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

Error failure(std::string_view text) {
  try {
    parse_choices(text);
  } catch (const Error& error) {
    return error;
  }
  return Error{Code::success, ""};
}

void fails(std::string_view text, Code code, const std::string& says) {
  INFO(text);
  const Error error = failure(text);
  CHECK(error.code == code);
  CHECK_THAT(error.message, Catch::Contains(says));
}

}  // namespace

TEST_CASE("choices are read") {
  const auto choices =
      parse_choices(" allgather = bruck( k = 3 ) ;bcast=chain(segment=64k); barrier=flat-tree;");
  REQUIRE(choices.size() == 3);
  CHECK(choices.at(Collective::allgather).algorithm->name == "bruck");
  CHECK(choices.at(Collective::allgather).parameters == Parameters{3, 0});
  CHECK(choices.at(Collective::bcast).parameters.segment == 65536);
  CHECK(choices.at(Collective::barrier).algorithm == find(Collective::barrier, "flat-tree"));
  CHECK(parse_choices("").empty());
  CHECK(parse_choices(" ; ").empty());
  CHECK(parse_choices("bcast=binomial(k=2,segment=1M)").at(Collective::bcast).parameters ==
        Parameters{2, 1 << 20});
  CHECK(parse_choices("bcast=binomial()").at(Collective::bcast).parameters == Parameters{});
}

TEST_CASE("a choice can be written and read again") {
  for (const Algorithm& algorithm : algorithms()) {
    const Choice choice{&algorithm, {algorithm.has_k ? 3 : 1, algorithm.has_segment ? 777 : 0}};
    const auto again =
        parse_choices(std::string{name_of(algorithm.collective)} + "=" + to_string(choice));
    CHECK(again.at(algorithm.collective).algorithm == &algorithm);
    CHECK(again.at(algorithm.collective).parameters == choice.parameters);
  }
}

TEST_CASE("wrong choices are explained") {
  fails("allgather=brook", Code::unknown_algorithm,
        "ring, modified-ring, recursive-doubling, halving-doubling, bruck");
  fails("allgather", Code::unknown_algorithm, "write allgather=");
  fails("allsum=bruck", Code::bad_configuration,
        "barrier, bcast, scatter, gather, allgather, alltoall, reduce, allreduce");
  fails("=bruck", Code::bad_configuration, "no collective ''");
  fails("allgather=bruck(k=0)", Code::bad_configuration, "k=3");
  fails("allgather=bruck(k=-1)", Code::bad_configuration, "k=3");
  fails("allgather=bruck(k=3x)", Code::bad_configuration, "k=3");
  fails("allgather=bruck(k=2k)", Code::bad_configuration, "k=3");
  fails("allgather=bruck(k)", Code::bad_configuration, "k=3");
  fails("allgather=bruck(k=99999999999999999999)", Code::bad_configuration, "k=3");
  fails("allgather=bruck(j=1)", Code::bad_configuration, "only the parameter k");
  fails("allgather=ring(k=1)", Code::bad_configuration, "no parameters");
  fails("bcast=chain(segment=-5)", Code::bad_configuration, "segment=64k");
  fails("bcast=chain(segment=5T)", Code::bad_configuration, "segment=64k");
  fails("bcast=chain(segment=9999999999999G)", Code::bad_configuration, "segment=64k");
  fails("bcast=chain(segment=64k", Code::bad_configuration, "')' is missing");
  fails("bcast=chain(segment=64k)k=1", Code::bad_configuration, "after the ')'");
  fails("bcast=chain;bcast=linear", Code::bad_configuration, "twice");
}

TEST_CASE("names are unique and every algorithm says what it is") {
  for (const Algorithm& algorithm : algorithms()) {
    CHECK(find(algorithm.collective, algorithm.name) == &algorithm);
    CHECK_FALSE(algorithm.paper.empty());
    CHECK_FALSE(algorithm.summary.empty());
    CHECK(collective_named(name_of(algorithm.collective)) == algorithm.collective);
  }
  CHECK(find(Collective::bcast, "bruck") == nullptr);
  CHECK_FALSE(collective_named("nonsense"));
}

TEST_CASE("the built-in selection always names an algorithm that applies, with a reason") {
  for (std::size_t c = 0; c < kCollectives; ++c) {
    const auto collective = static_cast<Collective>(c);
    for (int P : {1, 2, 3, 4, 7, 8, 33, 1000}) {
      for (int flags = 0; flags < 8; ++flags) {
        for (Bytes bytes = 0; bytes <= (Bytes{1} << 32); bytes = bytes == 0 ? 1 : 8 * bytes) {
          const Facts facts{P, flags & 4 ? P : 1, flags & 4 ? 1 : P, (flags & 1) != 0,
                            (flags & 2) != 0};
          for (int kind = 0; kind < 4; ++kind) {  // plain; not commutative; reproducible; counts
                                                  // that differ or are not known
            Problem problem{{.collective = collective, .bytes = bytes}, P};
            problem.commutative = kind == 0 || kind == 3;
            problem.left_fold = kind == 2;
            if (kind == 3) {
              problem.counts.assign(static_cast<std::size_t>(P), bytes);
              problem.counts_known = (flags & 1) != 0;
            }
            const Selection selection = select(problem, facts);
            REQUIRE(selection.choice.algorithm != nullptr);
            REQUIRE_FALSE(selection.reason.empty());
            REQUIRE_FALSE(
                selection.choice.algorithm->not_applicable(problem, selection.choice.parameters));
            REQUIRE(
                parse_choices(std::string{name_of(collective)} + "=" + to_string(selection.choice))
                    .size() == 1);
          }
        }
      }
    }
  }
}

namespace {
Selection select(Collective collective, Bytes bytes, const Facts& facts) {
  return collectives::select({{.collective = collective, .bytes = bytes}, facts.P}, facts);
}
}  // namespace

TEST_CASE("the selection counts packets on a software wire and rounds on a hardware wire") {
  const Facts hardware{16, 16, 1, false, false}, software{16, 16, 1, true, false};
  CHECK(select(Collective::barrier, 0, hardware).choice.algorithm->name == "dissemination");
  CHECK(select(Collective::barrier, 0, software).choice.algorithm->name == "flat-tree");
  CHECK(select(Collective::allgather, 8, software).choice.algorithm->name == "gather-bcast");
  CHECK(select(Collective::allgather, 1 << 20, software).choice.algorithm->name == "ring");
  CHECK(select(Collective::allgather, 8, {12, 12, 1, false, false}).choice.algorithm->name ==
        "bruck");
  CHECK(select(Collective::allgather, 1 << 20, hardware).choice.algorithm->name == "ring");
  CHECK(select(Collective::bcast, 8, hardware).choice.algorithm->name == "binomial");
  CHECK(select(Collective::bcast, 1 << 20, hardware).choice.algorithm->name == "chain");
}
