// Questions and answers that get lost, and that are late.
#include "transport/verbs/connection/question.hpp"

#include <catch2/catch.hpp>

using tutti::transport::verbs::Question;

TEST_CASE("a question is sent once for each time that it is asked", "[question]") {
  Question question;
  CHECK(question.answered());  // none was asked
  CHECK_FALSE(question.take());
  question.ask(false);
  CHECK_FALSE(question.answered());
  const auto number = question.take();
  REQUIRE(number);
  CHECK_FALSE(question.take());
  question.ask(true);
  CHECK(question.take() == number);
  question.take_answer(*number, 5);
  CHECK(question.answered());
  CHECK(question.begun() == 5);
}

TEST_CASE("an answer to the first try counts after the second one", "[question]") {
  Question question;
  question.ask(false);
  const auto first = question.take();
  question.ask(true);
  question.take_answer(*first, 1);
  CHECK(question.answered());
  question.take();
  question.ask(true);  // answered: a new one
  CHECK_FALSE(question.answered());
  CHECK(question.take() != first);
}

TEST_CASE("an answer to an earlier question says nothing", "[question]") {
  Question question;
  question.ask(false);
  const auto first = question.take();
  question.ask(false);
  question.take_answer(*first, 1);
  CHECK_FALSE(question.answered());
  const auto second = question.take();
  question.take_answer(*second, 2);
  question.take_answer(*first, 1);
  CHECK(question.answered());
  CHECK(question.begun() == 2);
}
