// Drops the views of buffers that are copied as a whole after all.
#include "src/api/user_request.hpp"

#include "src/job/plan.hpp"

namespace tutti {

void UserRequest::drop_views(const Plan& plan) {
  const auto drop = [&](PackedView*& view) {
    for (Maybe<Blocked>* const buffer : {&from, &to})
      if (*buffer && (*buffer)->view() == view) (*buffer)->copy_all();
    view = nullptr;
  };
  // Data that arrive must not change data sent later, even where a program has them share bytes.
  const bool mixed = from && to && from->reaches_into(*to);
  if (call.views.input && (mixed || !plan.takes_view_of_input())) drop(call.views.input);
  if (call.views.output && (mixed || !plan.takes_view_of_output(*call.views.output)))
    drop(call.views.output);
}

}  // namespace tutti
