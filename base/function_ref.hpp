// A function that is borrowed for the length of a call: what std::function is without owning, so
// that nothing is allocated.
#pragma once

#include <utility>

namespace tutti {

template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  // `function` must outlive the reference.
  template <class Function>
  FunctionRef(const Function& function) noexcept
      : function_(&function), call_([](const void* at, Args... args) -> Result {
          return (*static_cast<const Function*>(at))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(function_, std::forward<Args>(args)...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Args...);
};

}  // namespace tutti
