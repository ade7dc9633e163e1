// Counts the calls that use an operation, and frees it after the last one.
#include "src/drop-in/operations.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "src/data/reduction.hpp"

namespace tutti::drop_in {
namespace {

struct UsedOperation {
  MPI_Op op;
  int uses = 0;
  bool freed = false;  // by the program
};
std::mutex g_operations_lock;
auto& g_used = *new std::vector<UsedOperation>;

auto find_used(MPI_Op op) noexcept {
  return std::find_if(g_used.begin(), g_used.end(),
                      [&](const UsedOperation& used) { return used.op == op; });
}

}  // namespace

HeldOperation::HeldOperation(MPI_Op op) : op_(name_of_operation(op) ? MPI_OP_NULL : op) {
  if (op_ == MPI_OP_NULL) return;
  const std::lock_guard lock(g_operations_lock);
  auto used = find_used(op_);
  if (used == g_used.end()) used = g_used.insert(used, {op_});
  ++used->uses;
}

HeldOperation::~HeldOperation() {
  if (op_ == MPI_OP_NULL) return;
  bool last = false;
  {
    const std::lock_guard lock(g_operations_lock);
    const auto used = find_used(op_);
    if (--used->uses > 0) return;
    last = used->freed;
    g_used.erase(used);
  }
  MPI_Op op = op_;
  if (last) PMPI_Op_free(&op);
}

int free_operation(MPI_Op* op) noexcept {
  {
    const std::lock_guard lock(g_operations_lock);
    const auto used = op ? find_used(*op) : g_used.end();
    if (used != g_used.end() && !used->freed) {
      used->freed = true;
      *op = MPI_OP_NULL;
      return MPI_SUCCESS;
    }
  }
  return PMPI_Op_free(op);
}

}  // namespace tutti::drop_in
