/* One rank is wrong, in every collective and in every way, or has no memory. */
#include "errors.h"
#include "faults.h"

/* Can rank `who` not have its result without rank `wrong`? */
static int needs(kind k, int who, int wrong) {
  switch (k) {
    case BCAST:
    case SCATTER:
    case SCATTERV: return wrong == ROOT;
    case GATHER:
    case GATHERV:
    case REDUCE: return who == ROOT;
    case SCAN:
    case EXSCAN: return who > wrong;
    default: return 1;
  }
}

/* One rank has a wrong argument. It is told so; whoever needs it gets the same code; nobody hangs,
   in this call or the next; and other communicators go on. */
void one_wrong_rank(tutti_comm good) {
  int cases = 0;
  MPI_Type_vector(2, 1, 2, MPI_INT, &raw_type);
  for (kind k = 0; k < KINDS; ++k)
    for (fault f = 0; f < FAULTS; ++f)
      for (int wrong = 0; wrong<job_size; wrong += job_size> 1 ? job_size - 1 : 1) {
        arguments a = right();
        int expected = job_rank == wrong ? spoil(k, f, &a) : 0;
        MPI_Bcast(&expected, 1, MPI_INT, wrong, MPI_COMM_WORLD);
        if (expected < 0) continue;
        tutti_comm comm;
        MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
        ++cases;
        watch("%s, %s on rank %d", about[k].name, fault_names[f], wrong);
        if (cases % 3 == (job_rank == wrong))
          usleep(1000); /* either comes first, or both at once */
        const int code = call(k, &a, comm);
        char text[400];
        snprintf(text, sizeof text, "%s", tutti_last_error_message());
        if (job_rank == wrong)
          CHECK(code == expected, "%s, %s: gives %d (%s), not %d", about[k].name, fault_names[f],
                code, text, expected);
        else
          CHECK((code == TUTTI_SUCCESS && !(expected && needs(k, job_rank, wrong))) ||
                    code == expected,
                "%s, %s on rank %d: gives %d (%s), the wrong rank has %d", about[k].name,
                fault_names[f], wrong, code, text, expected);
        if (job_rank == wrong && expected) {
          char which[200];
          snprintf(which, sizeof which,
                   "rank %d of MPI_COMM_WORLD, call 1 of communicator `MPI_COMM_WORLD` (%s): ",
                   job_rank, about[k].name);
          CHECK(strncmp(text, which, strlen(which)) == 0, "%s, %s: the message is '%s'",
                about[k].name, fault_names[f], text);
        }
        if (expected == TUTTI_ERR_TYPE_NOT_COMMITTED && job_rank == wrong)
          CHECK(strstr(text, about[k].one         ? "datatype"
                             : f == SEND_TYPE_RAW ? "sendtype"
                                                  : "recvtype") &&
                    strstr(text, "is not committed") && !strstr(text, "MPI_Send"),
                "%s, %s: %s", about[k].name, fault_names[f], text);
        if (code) CHECK(strlen(text) > 10, "%s, %s: no message", about[k].name, fault_names[f]);
        int next = cases % 4
                       ? tutti_barrier(comm)
                       : expected; /* freed at once, or told to all in the calls that follow */
        for (int i = 0; next == 0 && expected && job_size > 1 && i < 1000; ++i)
          next = tutti_barrier(comm);
        if (cases % 4)
          CHECK(next == (job_size > 1 ? expected : 0),
                "%s, %s on rank %d: gave %d, and the next calls give %d, not %d", about[k].name,
                fault_names[f], wrong, code, next, expected);
        /* its own first error, whoever has told it that the communicator has failed */
        if (cases % 4 && next && job_rank == wrong)
          CHECK(strstr(tutti_last_error_message(), text), "%s, %s: gave '%s', and then '%s'",
                about[k].name, fault_names[f], text, tutti_last_error_message());
        MUST(tutti_comm_free(&comm));
        if (cases % 16 == 0) works(good);
      }
  unwatch();
  MPI_Type_free(&raw_type);
  CHECK(cases > 200, "only %d cases", cases);
}

/* A rank that has no memory for its part tells the others, and goes on. */
void out_of_memory(tutti_comm good) {
  MPI_Datatype gaps;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  static int data[8]; /* far below the last address */
  watch("rank %d is out of memory", job_size - 1);
  const int lacks = job_rank == job_size - 1; /* room for 2^44 bytes, out of place */
  const int code = tutti_bcast(data, lacks ? (MPI_Count)1 << 41 : 1, gaps, 0, comm);
  CHECK(lacks ? code == TUTTI_ERR_NO_MEMORY : code == 0 || code == TUTTI_ERR_NO_MEMORY,
        "gives %d (%s)", code, tutti_last_error_message());
  int next = 0;
  for (int tries = 0; next == 0 && job_size > 1 && tries < 1000; ++tries)
    next = tutti_barrier(comm);
  CHECK(next == (job_size > 1 ? TUTTI_ERR_NO_MEMORY : 0), "gave %d, and then %d (%s)", code, next,
        tutti_last_error_message());
  unwatch();
  MUST(tutti_comm_free(&comm));
  MPI_Type_free(&gaps);
  works(good);
}
