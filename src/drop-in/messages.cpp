// MPI's functions for single messages that may wait, or are asked until one has come. They are the
// MPI's; but where a call in flight needs this rank, such as for an operation of the program's, the
// rank takes its calls further until it need not wait for a message. See lending.hpp.
#include "src/drop-in/in_flight.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

#define TUTTI_SENDING(function, Name)                                                              \
  template <class Count>                                                                           \
  int function(const void* data, Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) { \
    if (!needs_this_rank()) [[likely]]                                                             \
      return TUTTI_BENEATH(Name, Count, data, count, type, to, tag, comm)();                       \
    MPI_Request request = MPI_REQUEST_NULL;                                                        \
    const int code =                                                                               \
        TUTTI_BENEATH(I##function, Count, data, count, type, to, tag, comm, &request)();           \
    return code == MPI_SUCCESS ? wait_for(&request, MPI_STATUS_IGNORE) : code;                     \
  }
TUTTI_SENDING(send, Send)
TUTTI_SENDING(ssend, Ssend)
TUTTI_SENDING(rsend, Rsend)
#undef TUTTI_SENDING

// Asks until there is a message. `ask(flag)`: the form that does not wait.
template <class Ask>
int ask_for_message(Ask&& ask) {
  Awaiting nothing({});
  int flag = 0;
  int code = ask(&flag);
  while (code == MPI_SUCCESS && !flag) {
    nothing.pause(false);
    code = ask(&flag);
  }
  return code;
}

// Finds wrong arguments before anything is waited for, or sent: the source and the tag by a probe,
// the others by a receive from nobody.
template <class Count>
int check_receive(void* data, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm) {
  int flag = 0;
  const int code = PMPI_Iprobe(from, tag, comm, &flag, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) return code;
  return TUTTI_BENEATH(Recv, Count, data, count, type, MPI_PROC_NULL, tag, comm,
                       MPI_STATUS_IGNORE)();
}

// It is received when it is there, by the MPI's own function: MPICH reports the errors of a receive
// that was begun to MPI_COMM_WORLD, and does not say that one from MPI_PROC_NULL was.
template <class Count>
int receive_when_there(void* data, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                       MPI_Status* status) {
  const int code = ask_for_message(
      [&](int* flag) { return PMPI_Iprobe(from, tag, comm, flag, MPI_STATUS_IGNORE); });
  if (code != MPI_SUCCESS) return code;
  return TUTTI_BENEATH(Recv, Count, data, count, type, from, tag, comm, status)();
}

template <class Count>
int receive(void* data, Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
            MPI_Status* status) {
  if (!needs_this_rank()) [[likely]]
    return TUTTI_BENEATH(Recv, Count, data, count, type, from, tag, comm, status)();
  const int code = check_receive(data, count, type, from, tag, comm);
  return code == MPI_SUCCESS ? receive_when_there(data, count, type, from, tag, comm, status)
                             : code;
}

// Where the receive fails, the message that is sent goes its way, as in the MPIs.
template <class Count>
int send_and_receive(const void* out, Count sends, MPI_Datatype send_type, int to, int send_tag,
                     void* in, Count receives, MPI_Datatype receive_type, int from, int receive_tag,
                     MPI_Comm comm, MPI_Status* status) {
  if (!needs_this_rank()) [[likely]]
    return TUTTI_BENEATH(Sendrecv, Count, out, sends, send_type, to, send_tag, in, receives,
                         receive_type, from, receive_tag, comm, status)();
  int code = check_receive(in, receives, receive_type, from, receive_tag, comm);
  if (code != MPI_SUCCESS) return code;
  MPI_Request sent = MPI_REQUEST_NULL;  // first: a message that has come stays if this fails
  code = TUTTI_BENEATH(Isend, Count, out, sends, send_type, to, send_tag, comm, &sent)();
  if (code != MPI_SUCCESS) return code;
  code = receive_when_there(in, receives, receive_type, from, receive_tag, comm, status);
  const int code_of_send = wait_for(&sent, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS ? code : code_of_send;
}

int probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (!needs_this_rank()) [[likely]]
    return PMPI_Probe(from, tag, comm, status);
  return ask_for_message([&](int* flag) { return PMPI_Iprobe(from, tag, comm, flag, status); });
}

int probe_and_match(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  if (!needs_this_rank()) [[likely]]
    return PMPI_Mprobe(from, tag, comm, message, status);
  return ask_for_message(
      [&](int* flag) { return PMPI_Improbe(from, tag, comm, flag, message, status); });
}

// A function that programs call again and again: each time the calls go on.
template <auto function>
struct Asked;
template <class... Arguments, int (*function)(Arguments...)>
struct Asked<function> {
  static int call(Arguments... arguments) {
    if (needs_this_rank()) [[unlikely]]
      Awaiting({}).look();
    return function(arguments...);
  }
};

}  // namespace

void add_messages(tutti_function functions[TUTTI_CALLS]) {
  TUTTI_PUT(Improbe, Asked<&PMPI_Improbe>::call);
  TUTTI_PUT(Iprobe, Asked<&PMPI_Iprobe>::call);
  TUTTI_PUT(Win_test, Asked<&PMPI_Win_test>::call);
  TUTTI_PUT(Probe, probe);
  TUTTI_PUT(Mprobe, probe_and_match);
  TUTTI_PUT(Recv, receive<int>);
  TUTTI_PUT(Rsend, rsend<int>);
  TUTTI_PUT(Send, send<int>);
  TUTTI_PUT(Sendrecv, send_and_receive<int>);
  TUTTI_PUT(Ssend, ssend<int>);
#if MPI_VERSION >= 4
  TUTTI_PUT(Recv_c, receive<MPI_Count>);
  TUTTI_PUT(Rsend_c, rsend<MPI_Count>);
  TUTTI_PUT(Send_c, send<MPI_Count>);
  TUTTI_PUT(Sendrecv_c, send_and_receive<MPI_Count>);
  TUTTI_PUT(Ssend_c, ssend<MPI_Count>);
#endif
}

}  // namespace tutti::drop_in
