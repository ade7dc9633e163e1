// A call that has not started: its members hear of it, and its message says which call it was. And
// calls with derived datatypes that come again.
#include "src/api/collective.hpp"

#include <new>

#include "src/news/call_words.hpp"

namespace tutti {

void rethrow(Request& request, const Arguments& arguments) {
  Communicator& comm = request.communicator();
  const bool has_started = request.state() != Request::State::idle;
  // The error of a communicator that has failed is no news, and names the call that has failed.
  const bool is_new = !has_started && !comm.agreement().failed();
  try {
    throw;
  } catch (Error& error) {
    if (is_new) error.message = in_next_call(comm.agreement(), name_of(arguments), error.message);
    if (!has_started) comm.refuse(error.code, error.message);
    throw;
  } catch (const std::bad_alloc&) {
    if (!has_started) comm.refuse(Code::out_of_memory, kOutOfMemory);
    throw;
  } catch (...) {
    if (!has_started) comm.refuse(Code::internal);
    throw;
  }
}

namespace {

// A view of elements, and what it needs as long as the call lasts.
struct Viewed {
  explicit Viewed(ScratchPool& scratch) noexcept : room(scratch) {}
  // Null: the buffer is as it is. Throws Error{out_of_memory}.
  PackedView* see(const Repeats::Elements& elements) {
    if (!elements.form) return nullptr;
    form = TypeFormUse(elements.form);
    ++elements.form->found;
    const TypedBytes typed{form->map, elements.first, elements.count, elements.extent};
    return &view.emplace(typed, room.get(typed.size(), kPackedCopy));
  }

  TypeFormUse form;
  ScratchBuffer room;
  Maybe<PackedView> view;
};

// nullopt: the elements may have another meaning the next time. No form: they need no view.
std::optional<Repeats::Elements> elements_of(const Library& state, Blocked& buffer) {
  if (!buffer.as_is() && !buffer.view()) return std::nullopt;
  const Layout& layout = buffer.layout();
  TypeForm* const form = state.datatypes.kept_form(buffer.type(), layout);
  if (!layout.predefined && !form) return std::nullopt;
  if (buffer.as_is()) return Repeats::Elements{};
  const TypedBytes& typed = buffer.view()->elements();
  return Repeats::Elements{form, typed.first, typed.count, typed.extent};
}

}  // namespace

void repeat_with_views(Library& state, Communicator& communicator, const Arguments& arguments,
                       const Repeats::Repeat& last) {
  Viewed input(state.scratch), output(state.scratch);
  Request request(communicator);
  start(request, arguments, [&]() -> Plan& {
    request.call = last.call;
    if (PackedView* const view = input.see(last.derived.input)) {
      request.call.views.input = view;
      request.call.input = view->room();
    }
    if (PackedView* const view = output.see(last.derived.output)) {
      request.call.views.output = view;
      request.call.output = view->room();
    }
    return communicator.again(*last.plan);
  });
  request.look_around();
  request.wait();
}

std::optional<Repeats::Derived> derived_types_of(const Library& state, UserRequest& request) {
  if (!request.moves_data()) return std::nullopt;
  Repeats::Derived derived{.frees = KeptTypes::frees()};
  for (Maybe<Blocked>* const buffer : {&request.from, &request.to}) {
    if (!*buffer) continue;
    const auto elements = elements_of(state, **buffer);
    if (!elements) return std::nullopt;
    if (!elements->form) continue;
    const bool reads_input = (*buffer)->view() == request.call.views.input;
    (reads_input ? derived.input : derived.output) = *elements;
  }
  return derived;
}

}  // namespace tutti
