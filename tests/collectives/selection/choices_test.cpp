// Texts by which users choose algorithms: which are read, and which are refused with which message.
#include "collectives/selection/choices.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/collectives/selection/texts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;
using Catch::Contains;

namespace {

void refused(const std::string& text, Code code, const std::string& says) {
  INFO(text.substr(0, 100));
  Error error{Code::success, ""};
  try {
    parse_choices(text);
  } catch (const Error& thrown) {
    error = thrown;
  }
  CHECK(error.code == code);
  CHECK(error.message.size() < 2000);  // however long what is wrong
  CHECK_THAT(error.message.substr(0, 2000), Contains(says));
}

}  // namespace

TEST_CASE("choices: are read", "[choices]") {
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

TEST_CASE("choices: what is written can be read again", "[choices]") {
  for (const Algorithm& algorithm : algorithms()) {
    const Choice choice{&algorithm,
                        {algorithm.traits.k ? 3 : 1, algorithm.traits.segment ? 777 : 0}};
    const auto again =
        parse_choices(std::string{name_of(algorithm.collective)} + "=" + to_string(choice));
    CHECK(again.at(algorithm.collective).algorithm == &algorithm);
    CHECK(again.at(algorithm.collective).parameters == choice.parameters);
  }
}

TEST_CASE("choices: wrong ones are explained", "[choices]") {
  refused("allgather=brook", Code::unknown_algorithm,
          "ring, modified-ring, recursive-doubling, halving-doubling, bruck");
  refused("allgather", Code::unknown_algorithm, "write allgather=");
  refused("allsum=bruck", Code::bad_configuration,
          "barrier, bcast, scatter, gather, allgather, alltoall, neighbor_allgather");
  refused("=bruck", Code::bad_configuration, "no collective ''");
  refused("allgather=bruck(k=0)", Code::bad_configuration, "k=3");
  refused("allgather=bruck(k=-1)", Code::bad_configuration, "k=3");
  refused("allgather=bruck(k=3x)", Code::bad_configuration, "k=3");
  refused("allgather=bruck(k=2k)", Code::bad_configuration, "k=3");
  refused("allgather=bruck(k)", Code::bad_configuration, "k=3");
  refused("allgather=bruck(k=99999999999999999999)", Code::bad_configuration, "k=3");
  refused("allgather=bruck(j=1)", Code::bad_configuration, "only the parameter k");
  refused("allgather=ring(k=1)", Code::bad_configuration, "no parameters");
  refused("bcast=chain(segment=-5)", Code::bad_configuration, "segment=64k");
  refused("bcast=chain(segment=5X)", Code::bad_configuration, "segment=64k");
  refused("bcast=chain(segment=9999999999999G)", Code::bad_configuration, "segment=64k");
  refused("bcast=chain(segment=64k", Code::bad_configuration, "')' is missing");
  refused("bcast=chain(segment=64k)k=1", Code::bad_configuration, "after the ')'");
  refused("bcast=chain;bcast=linear", Code::bad_configuration, "twice");
}

TEST_CASE("choices: levels are read, and written again", "[choices]") {
  const Choice choice = only(
      "allreduce=hierarchical( within = binomial(k=3) , across=recursive-doubling(k=2), "
      "segment=64k )");
  CHECK(choice.parameters.within == Nested{find(Collective::bcast, "binomial"), 3});
  CHECK(choice.parameters.across == Nested{find(Collective::allreduce, "recursive-doubling"), 2});
  CHECK(choice.parameters.segment == 65536);
  CHECK_FALSE(choice.preferred);
  const Choice again = only("allreduce=" + to_string(choice));
  CHECK(again.algorithm == choice.algorithm);
  CHECK(again.parameters == choice.parameters);
  // A reduce is the mirror of a broadcast, and its levels have broadcasts' names.
  CHECK(only("reduce=hierarchical(across=chain)").parameters.across.algorithm ==
        find(Collective::bcast, "chain"));
  CHECK(only("barrier=hierarchical(across=dissemination(k=3))").parameters.across ==
        Nested{find(Collective::barrier, "dissemination"), 3});
  CHECK(only("bcast=hierarchical").parameters == Parameters{});
}

TEST_CASE("choices: what a level cannot be", "[choices]") {
  for (const char* level : {"hierarchical", "hierarchical(within=chain)", "binomial(segment=64k)",
                            "prefer binomial", "multicast"})
    refused("bcast=hierarchical(across=" + std::string{level} + ")", Code::bad_configuration,
            "a level is a plain algorithm");
  refused(
      "bcast=hierarchical(across=ring)", Code::unknown_algorithm,
      "bcast has no algorithm 'ring' for `across`; did you mean scatter-ring? Write across= and "
      "one of: binomial");
  // The multicast cannot be a level, and is not offered.
  refused("allreduce=hierarchical(within=recursive-doubling)", Code::unknown_algorithm,
          "bcast has no algorithm 'recursive-doubling' for `within`; did you mean "
          "scatter-recursive-doubling? Write within= and one of: binomial, chain, k-chain, binary, "
          "k-ary, linear, tau-binomial, splitted-binary, "
          "circulant, bine, scatter-ring, scatter-recursive-doubling");
  refused("bcast=chian", Code::unknown_algorithm,
          "bcast has no algorithm 'chian'; did you mean chain? Write bcast= and one of: binomial");
  refused("allgather=hierarchical(within=bruck)", Code::unknown_algorithm,
          "bcast has no algorithm 'bruck' for `within`");
  refused("bcast=hierarchical(across=)", Code::unknown_algorithm, "bcast has no algorithm ''");
  refused("bcast=hierarchical(across)", Code::unknown_algorithm, "bcast has no algorithm ''");
  refused("bcast=hierarchical(k=2)", Code::bad_configuration,
          "the parameters within, across and segment");
  refused("barrier=hierarchical(segment=2)", Code::bad_configuration,
          "the parameters within and across");
  refused("bcast=hierarchical(across=binomial(k=0))", Code::bad_configuration,
          "k is a number from 1 to 4096");
}

TEST_CASE("choices: the root by which all goes", "[choices]") {
  const Choice choice = only("allreduce=reduce-bcast(k=2,root=3)");
  CHECK(choice.parameters == Parameters{.k = 2, .root = 3});
  CHECK(to_string(choice) == "reduce-bcast(k=2,root=3)");
  CHECK(to_string(only("allgather=gather-bcast(root=0)")) == "gather-bcast");
  for (const char* wrong : {"", "-1", "1.5", "x", "9999999999"})
    refused("allgather=gather-bcast(root=" + std::string{wrong} + ")", Code::bad_configuration,
            "write for example root=1");
  refused("bcast=binomial(root=1)", Code::bad_configuration, "unknown parameter 'root=1'");
  refused("allgather=hierarchical(across=gather-bcast(root=1))", Code::bad_configuration,
          "a level is a plain algorithm");
}

TEST_CASE("choices: the times of LogGP", "[choices]") {
  const Choice choice = only("scatter=loggp( L = 33.5, g=4.841,G=9.2e-3 )");
  CHECK(choice.parameters == Parameters{.times = {33.5, 4.841, 0.0092}});
  CHECK(to_string(choice) == "loggp(L=33.5,g=4.841,G=0.0092)");
  CHECK(only("scatter=" + to_string(choice)).parameters == choice.parameters);
  CHECK(only("gather=loggp(g=0)").parameters == Parameters{.times = {.g = 0}});
  // Times that are unset are not written, and all others are, be they the usual ones.
  CHECK(to_string(only("gather=loggp")) == "loggp");
  CHECK_FALSE(only("gather=loggp(L=2,g=0)").parameters.times.all_set());
  CHECK(to_string(only("gather=loggp(L=2)")) == "loggp(L=2)");
  CHECK(only("gather=loggp(L=0,g=0,G=0)").parameters.times.all_set());
  for (const char* wrong : {"", "-1", "1x", "nan", "inf", "1e99", "0x10"})
    refused("scatter=loggp(G=" + std::string{wrong} + ")", Code::bad_configuration,
            "write for example G=0.4");
  refused("scatter=loggp(l=1)", Code::bad_configuration, "the parameters L, g and G");
  refused("scatter=linear(L=1)", Code::bad_configuration, "only the parameter segment");
}

TEST_CASE("choices: prefer", "[choices]") {
  CHECK(only("allgather=prefer neighbor-exchange").preferred);
  CHECK(only("allgather= prefer   bruck (k=2) ").preferred);
  CHECK(only("allgather=prefer\tbruck(k=2)").parameters.k == 2);
  CHECK_FALSE(only("allgather=bruck").preferred);
  refused("allgather=prefer", Code::unknown_algorithm, "no algorithm 'prefer'");
  refused("allgather=preferbruck", Code::unknown_algorithm, "no algorithm 'preferbruck'");
  refused("allgather=prefer prefer bruck", Code::unknown_algorithm, "no algorithm 'prefer bruck'");
}

TEST_CASE("choices: sizes", "[choices]") {
  const auto segment = [](const std::string& size) {
    return only("bcast=chain(segment=" + size + ")").parameters.segment;
  };
  CHECK(segment("0") == 0);
  CHECK(segment("1") == 1);
  CHECK(segment("64k") == 64 << 10);
  CHECK(segment("64K") == 64 << 10);
  CHECK(segment("3M") == 3 << 20);
  CHECK(segment("2G") == Bytes{2} << 30);
  CHECK(segment("64 KiB") == 64 << 10);
  CHECK(segment("9223372036854775807") == 9223372036854775807);
  CHECK(segment("8589934591G") == Bytes{8589934591} << 30);
  for (const char* wrong : {"", "k", "64kk", "64x", "64 kk", "0x10", "+1", "1.5k", "1e3",
                            "9223372036854775808", "8589934592G"}) {
    refused("bcast=chain(segment=" + std::string{wrong} + ")", Code::bad_configuration,
            "segment=64k");
  }
  CHECK(only("allgather=bruck(k=4096)").parameters.k == 4096);
  refused("allgather=bruck(k=4097)", Code::bad_configuration, "from 1 to 4096");
  refused("allgather=bruck(k=)", Code::bad_configuration, "from 1 to 4096");
}

TEST_CASE("choices: what is written twice, and what is no choice at all", "[choices]") {
  refused("allgather=bruck(k=2,k=3)", Code::bad_configuration, "k is written twice");
  refused("bcast=hierarchical(across=chain,across=binomial)", Code::bad_configuration,
          "across is written twice");
  refused("allgather=ring; allgather=ring", Code::bad_configuration, "allgather is chosen twice");
  CHECK(only("allgather=bruck( )").parameters == Parameters{});
  refused("allgather=bruck(,k=2)", Code::bad_configuration, "unknown parameter ''");
  refused("allgather=ring=ring", Code::unknown_algorithm, "no algorithm 'ring=ring'");
  refused("allgather==ring", Code::unknown_algorithm, "no algorithm '=ring'");
  refused("Allgather=ring", Code::bad_configuration, "no collective 'Allgather'");
  refused("allgather=Ring", Code::unknown_algorithm, "no algorithm 'Ring'");
  refused("ring", Code::bad_configuration, "no collective 'ring'");
  refused("allgather,bcast=ring", Code::bad_configuration, "no collective 'allgather,bcast'");
  refused("\x01\xff%s%n{}", Code::bad_configuration, "no collective '\x01\xff%s%n{}'");
  refused(std::string("allgather=ring\0", 15), Code::unknown_algorithm, "no algorithm 'ring");
  // One good choice does not excuse a bad one.
  refused("allgather=ring;bcast=ring", Code::unknown_algorithm, "bcast has no algorithm 'ring'");
}

TEST_CASE("choices: parentheses", "[choices]") {
  refused("allgather=bruck(k=2", Code::bad_configuration, "')' is missing");
  refused("allgather=bruck((k=2)", Code::bad_configuration, "')' is missing");
  refused("allgather=bruck((k=2))", Code::bad_configuration, "unknown parameter '(k=2)'");
  refused("allgather=bruck(k=(2))", Code::bad_configuration, "k is a number");
  refused("allgather=bruck)", Code::unknown_algorithm, "no algorithm 'bruck)'");
  refused("allgather=bruck(k=2))", Code::bad_configuration, "')' after the ')'");
  refused("allgather=)(", Code::unknown_algorithm, "no algorithm ')'");
  refused("allgather=(k=2)", Code::unknown_algorithm, "no algorithm ''");
  refused("bcast=hierarchical(within=binomial(k=2)", Code::bad_configuration, "')' is missing");
  refused("(allgather=ring)", Code::bad_configuration, "no collective '(allgather=ring)'");
}

TEST_CASE("choices: long and deep texts are refused, and soon", "[choices]") {
  const int many = 200000;
  refused("bcast=" + times("hierarchical(across=", many) + "chain" + times(")", many),
          Code::bad_configuration, "a level is a plain");
  refused("bcast=" + times("hierarchical(within=", many), Code::bad_configuration,
          "')' is missing");
  refused("bcast=chain" + times("(", many), Code::bad_configuration, "')' is missing");
  refused("bcast=chain" + times("(", many) + times(")", many), Code::bad_configuration,
          "unknown parameter");
  refused("bcast=chain" + times(")", many), Code::unknown_algorithm, "no algorithm");
  refused("bcast=binomial(" + times("k=2,", many) + ")", Code::bad_configuration,
          "k is written twice");
  refused(times("x", many), Code::bad_configuration, "no collective");
  CHECK(parse_choices(times(" ;", many)).empty());
}
