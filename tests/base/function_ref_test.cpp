// A borrowed function is called where it stands.
#include "base/function_ref.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

using tutti::FunctionRef;

TEST_CASE("a borrowed function sees its own state, and what it is given", "[function-ref]") {
  int calls = 0;
  const auto count = [&calls](int by) { return calls += by; };
  const FunctionRef<int(int)> reference(count);
  CHECK(reference(2) == 2);
  CHECK(FunctionRef<int(int)>(reference)(3) == 5);
  CHECK(calls == 5);
}

TEST_CASE("arguments are passed on as they are", "[function-ref]") {
  std::string text = "a";
  const auto append = [](std::string& to, std::unique_ptr<char> from) -> std::string& {
    return to += *from;
  };
  const FunctionRef<std::string&(std::string&, std::unique_ptr<char>)> reference(append);
  CHECK(&reference(text, std::make_unique<char>('b')) == &text);
  CHECK(text == "ab");
}
