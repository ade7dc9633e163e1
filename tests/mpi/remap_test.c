/*
 * Memory that changes behind an address: between two collectives the program takes a buffer away
 * and puts other pages at the very same address, in every way that a program has. A registration
 * that outlived its pages would move bytes to or from pages that nobody sees any more. Meaningful
 * over verbs, where buffers are registered; right everywhere.
 */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kBytes = 1 << 19, kRounds = 4 };

static unsigned char* map_with(int flags, void* address) {
  void* got =
      mmap(address, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  CHECK(got != MAP_FAILED, "mmap fails: %s", strerror(errno));
  return got;
}
static unsigned char* map_at(void* address) { return map_with(address ? MAP_FIXED : 0, address); }
/* Where nothing is mapped any more, unless another thread's memory came first: a queue pair that
 * Tutti's helper thread makes has queues of the kernel's. Then elsewhere. */
static unsigned char* map_again(void* address) { return map_with(0, address); }
static unsigned char* map_file_at(void* address) {
  FILE* file = tmpfile();
  CHECK(file && ftruncate(fileno(file), kBytes) == 0, "no temporary file: %s", strerror(errno));
  void* got = mmap(address, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | (address ? MAP_FIXED : 0),
                   fileno(file), 0);
  fclose(file);
  CHECK(got != MAP_FAILED, "the file cannot be mapped: %s", strerror(errno));
  return got;
}
/* The file stays open, as it does where processes share it; one such buffer is used at a time. */
static int shared_file = -1;
static unsigned char* map_shared_at(void* address) {
  shared_file = memfd_create("remap", MFD_CLOEXEC);
  CHECK(shared_file >= 0 && ftruncate(shared_file, kBytes) == 0, "memfd_create fails: %s",
        strerror(errno));
  void* got = mmap(address, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared_file, 0);
  CHECK(got != MAP_FAILED, "the memfd cannot be mapped: %s", strerror(errno));
  return got;
}
static unsigned char* attach_at(void* address) {
  const int id = shmget(IPC_PRIVATE, kBytes, IPC_CREAT | 0600);
  CHECK(id >= 0, "no SysV segment: %s", strerror(errno));
  void* got = shmat(id, address, 0);
  if (got == (void*)-1) got = shmat(id, NULL, 0); /* see map_again() */
  shmctl(id, IPC_RMID, NULL);
  CHECK(got != (void*)-1, "shmat fails: %s", strerror(errno));
  return got;
}
/* First makes room for malloc, which raises the break, too, and whose memory would be lost. */
static unsigned char* raise_break(void* ignored) {
  enum { kRoom = 16 << 20 };
  (void)ignored;
  mallopt(M_TRIM_THRESHOLD, 4 * kRoom);
  mallopt(M_MMAP_THRESHOLD, 2 * kRoom);
  void* volatile room = malloc(kRoom); /* volatile: or the compiler leaves both calls out */
  free(room);
  void* got = sbrk(kBytes);
  CHECK(got != (void*)-1, "sbrk fails: %s", strerror(errno));
  return got;
}

/*
 * Page by page: a kernel before 6.17 moves what lies in ONE mapping only, and a mapping that is
 * watched in part counts as several. By system call: UCX, below MPICH, replaces mremap by one that
 * loses the fifth argument.
 */
static void move(unsigned char* from, unsigned char* to) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t at = 0; at < kBytes; at += page)
    CHECK(syscall(SYS_mremap, from + at, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, to + at) ==
              (long)(to + at),
          "mremap fails: %s", strerror(errno));
}

/* Each puts other pages at the same address, and returns it; or another, see map_again(). */
static unsigned char* unmap_and_map(unsigned char* at) {
  munmap(at, kBytes);
  return map_again(at);
}
static unsigned char* map_over(unsigned char* at) { return map_at(at); }
static unsigned char* map_over_a_part(unsigned char* at) {
  void* part = at + kBytes / 4;
  CHECK(mmap(part, kBytes / 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0) == part,
        "mmap fails");
  return at;
}
static unsigned char* drop_pages(unsigned char* at) {
  CHECK(madvise(at, kBytes, MADV_DONTNEED) == 0, "madvise fails: %s", strerror(errno));
  return at;
}
static unsigned char* move_away(unsigned char* at) {
  unsigned char* other = map_at(NULL);
  move(at, other);
  unsigned char* next = map_again(at);
  munmap(other, kBytes);
  return next;
}
static unsigned char* move_onto(unsigned char* at) {
  move(map_at(NULL), at);
  return at;
}
static unsigned char* map_another_file(unsigned char* at) { return map_file_at(at); }
static unsigned char* cut_off_and_grow(unsigned char* at) {
  CHECK(ftruncate(shared_file, 0) == 0 && ftruncate(shared_file, kBytes) == 0,
        "ftruncate fails: %s", strerror(errno));
  return at;
}
static unsigned char* punch_a_hole(unsigned char* at) {
  CHECK(fallocate(shared_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kBytes) == 0,
        "fallocate fails: %s", strerror(errno));
  return at;
}
static unsigned char* attach_another(unsigned char* at) {
  shmdt(at);
  return attach_at(at);
}
static unsigned char* lower_and_raise_break(unsigned char* at) {
  CHECK(sbrk(0) == (void*)(at + kBytes), "malloc has raised the break");
  CHECK(sbrk(-kBytes) != (void*)-1 && sbrk(kBytes) == (void*)at, "the break moved meanwhile");
  return at;
}

static void unmap(unsigned char* at) { munmap(at, kBytes); }
static void unmap_and_close(unsigned char* at) {
  munmap(at, kBytes);
  close(shared_file);
}
static void detach(unsigned char* at) { shmdt(at); }
static void lower_break(unsigned char* at) {
  if (sbrk(0) == at + kBytes) sbrk(-kBytes);
}

static const struct {
  const char* name;
  unsigned char* (*make)(void* address);
  unsigned char* (*change)(unsigned char* at);
  void (*end)(unsigned char* at);
} kWays[] = {
    {"munmap, mmap", map_at, unmap_and_map, unmap},
    {"mapped over", map_at, map_over, unmap},
    {"a part mapped over", map_at, map_over_a_part, unmap},
    {"MADV_DONTNEED", map_at, drop_pages, unmap},
    {"moved away", map_at, move_away, unmap},
    {"moved onto", map_at, move_onto, unmap},
    {"another file", map_file_at, map_another_file, unmap},
    {"a shared file cut off and grown", map_shared_at, cut_off_and_grow, unmap_and_close},
    {"a hole in a shared file", map_shared_at, punch_a_hole, unmap_and_close},
    {"shmdt, shmat", attach_at, attach_another, detach},
    {"sbrk", raise_break, lower_and_raise_break, lower_break},
};

/* The changing buffer is what a rank sends in one test, and what it receives into in the other. */
static void check_way(tutti_comm comm, size_t way, int receives) {
  const char* name = kWays[way].name;
  const size_t block = kBytes / (size_t)job_size;
  unsigned char *steady = malloc(kBytes), *changing = kWays[way].make(NULL);
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) changing = kWays[way].change(changing);
    const int root = round % job_size;
    unsigned char* whole = receives == (job_rank != root) ? changing : steady;
    for (size_t i = 0; i < kBytes; ++i) whole[i] = job_rank == root ? pattern(i, root, round) : 0;
    MUST(tutti_bcast(whole, kBytes, MPI_BYTE, root, comm));
    for (size_t i = 0; i < kBytes; ++i)
      CHECK(whole[i] == pattern(i, root, round), "%s: bcast %d: byte %zu is wrong", name, round, i);

    unsigned char *in = receives ? steady : changing, *out = receives ? changing : steady;
    for (size_t i = 0; i < block; ++i) in[i] = pattern(i, job_rank, round + 50);
    memset(out, 0, block * (size_t)job_size);
    MUST(tutti_allgather(in, (MPI_Count)block, MPI_BYTE, out, (MPI_Count)block, MPI_BYTE, comm));
    for (int r = 0; r < job_size; ++r)
      for (size_t i = 0; i < block; ++i)
        CHECK(out[block * (size_t)r + i] == pattern(i, r, round + 50),
              "%s: allgather %d: byte %zu of block %d is wrong", name, round, i, r);
  }
  free(steady);
  kWays[way].end(changing);
}

/* Does so by a persistent request, whose buffers stay registered as long as their pages stay. */
static void check_persistent(tutti_comm comm, size_t way, int receives) {
  const char* name = kWays[way].name;
  const size_t block = kBytes / (size_t)job_size;
  unsigned char *steady = malloc(kBytes), *changing = kWays[way].make(NULL), *bound = NULL;
  tutti_request request = TUTTI_REQUEST_NULL;
  for (int round = 0; round < 2 * kRounds; ++round) {
    if (round % 2 == 1) changing = kWays[way].change(changing);
    unsigned char *in = receives ? steady : changing, *out = receives ? changing : steady;
    if (changing != bound) { /* on this rank alone, and no other need know */
      if (bound) MUST(tutti_request_free(&request));
      MUST(tutti_allgather_init(in, (MPI_Count)block, MPI_BYTE, out, (MPI_Count)block, MPI_BYTE,
                                comm, &request));
      bound = changing;
    }
    for (size_t i = 0; i < block; ++i) in[i] = pattern(i, job_rank, round);
    memset(out, 0, block * (size_t)job_size);
    MUST(tutti_start(&request));
    MUST(tutti_wait(&request));
    for (int r = 0; r < job_size; ++r)
      for (size_t i = 0; i < block; ++i)
        CHECK(out[block * (size_t)r + i] == pattern(i, r, round),
              "%s: persistent allgather %d: byte %zu of block %d is wrong", name, round, i, r);
  }
  /* The buffers may go first. */
  free(steady);
  kWays[way].end(changing);
  MUST(tutti_request_free(&request));
}

int main(int argc, char** argv) {
  job_begin(&argc, &argv);
  MUST(tutti_init(NULL));
  tutti_comm comm;
  MUST(tutti_comm_create(MPI_COMM_WORLD, &comm));
  for (size_t way = 0; way < sizeof kWays / sizeof *kWays; ++way)
    for (int receives = 0; receives < 2; ++receives) {
      check_way(comm, way, receives);
      check_persistent(comm, way, receives);
    }
  MUST(tutti_comm_free(&comm));
  job_end("remap");
  return 0;
}
