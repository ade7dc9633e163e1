! Every blocking collective from Fortran, and some non-blocking ones at once, with results that are computed here; built once for each
! binding of MPI. Rank 0 prints how often it has called each.
program fortran
#if defined(MPIF_H)
  implicit none
  include 'mpif.h'
#elif defined(USE_MPI)
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
  integer, parameter :: most = 16, times = 5
  integer :: code, r, p, i, t, root, all_sum
  integer :: x, y, in(most), out(most), counts(most), places(most), bytes(most)
  integer, asynchronous :: mine(1), total(1), all(most)
#if defined(MPIF_H) || defined(USE_MPI)
  integer :: requests(4)
#else
  type(MPI_Request) :: requests(4)
#endif

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, r, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  if (p > most) call fail('too many ranks')
  all_sum = p * (p - 1) / 2
  do i = 1, p
    counts(i) = 1
    places(i) = i - 1
    bytes(i) = 4 * (i - 1)
  end do
  do t = 1, times
    root = mod(t, p)
    call MPI_Barrier(MPI_COMM_WORLD, code)
    x = -1
    if (r == root) x = 100 + t
    call MPI_Bcast(x, 1, MPI_INTEGER, root, MPI_COMM_WORLD, code)
    if (x /= 100 + t) call fail('bcast')
    x = r + t
    out = -1
    call MPI_Gather(x, 1, MPI_INTEGER, out, 1, MPI_INTEGER, root, MPI_COMM_WORLD, code)
    if (r == root .and. any(out(1:p) /= [(i - 1 + t, i = 1, p)])) call fail('gather')
    out = -1
    call MPI_Gatherv(x, 1, MPI_INTEGER, out, counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, &
                     code)
    if (r == root .and. any(out(1:p) /= [(i - 1 + t, i = 1, p)])) call fail('gatherv')
    in(1:p) = [(i * 10 + t, i = 1, p)]
    call MPI_Scatter(in, 1, MPI_INTEGER, y, 1, MPI_INTEGER, root, MPI_COMM_WORLD, code)
    if (y /= (r + 1) * 10 + t) call fail('scatter')
    y = -1
    call MPI_Scatterv(in, counts, places, MPI_INTEGER, y, 1, MPI_INTEGER, root, MPI_COMM_WORLD, &
                      code)
    if (y /= (r + 1) * 10 + t) call fail('scatterv')
    out = -1
    call MPI_Allgather(x, 1, MPI_INTEGER, out, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
    if (any(out(1:p) /= [(i - 1 + t, i = 1, p)])) call fail('allgather')
    out = -1
    call MPI_Allgatherv(x, 1, MPI_INTEGER, out, counts, places, MPI_INTEGER, MPI_COMM_WORLD, code)
    if (any(out(1:p) /= [(i - 1 + t, i = 1, p)])) call fail('allgatherv')
    in(1:p) = [(r * 100 + i, i = 1, p)]
    call MPI_Alltoall(in, 1, MPI_INTEGER, out, 1, MPI_INTEGER, MPI_COMM_WORLD, code)
    if (any(out(1:p) /= [((i - 1) * 100 + r + 1, i = 1, p)])) call fail('alltoall')
    out = -1
    call MPI_Alltoallv(in, counts, places, MPI_INTEGER, out, counts, places, MPI_INTEGER, &
                       MPI_COMM_WORLD, code)
    if (any(out(1:p) /= [((i - 1) * 100 + r + 1, i = 1, p)])) call fail('alltoallv')
    out = -1
    call all_to_all_w()
    if (any(out(1:p) /= [((i - 1) * 100 + r + 1, i = 1, p)])) call fail('alltoallw')
    call MPI_Reduce(r, y, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, code)
    if (r == root .and. y /= all_sum) call fail('reduce')
    call MPI_Allreduce(r, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (y /= all_sum) call fail('allreduce')
    y = r
    call MPI_Allreduce(MPI_IN_PLACE, y, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, code)
    if (y /= p - 1) call fail('allreduce in place')
    call MPI_Scan(r, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (y /= r * (r + 1) / 2) call fail('scan')
    call MPI_Exscan(r, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (r > 0 .and. y /= r * (r - 1) / 2) call fail('exscan')
    in(1:p) = [(r + i, i = 1, p)]
    call MPI_Reduce_scatter(in, y, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (y /= all_sum + p * (r + 1)) call fail('reduce_scatter')
    call MPI_Reduce_scatter_block(in, y, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (y /= all_sum + p * (r + 1)) call fail('reduce_scatter_block')
    mine(1) = r + t
    total(1) = -1
    all = -1
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), code)
    call MPI_Iallreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), code)
    call MPI_Iallgatherv(mine, 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
                         requests(3), code)
    requests(4) = MPI_REQUEST_NULL
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, code)
    if (total(1) /= all_sum + p * t) call fail('iallreduce')
    if (any(all(1:p) /= [(i - 1 + t, i = 1, p)])) call fail('iallgatherv')
  end do
  if (r == 0) then
    call called('Allreduce', 2)
    call called('Barrier', 1)
    call called('Bcast', 1)
    call called('Gather', 1)
    call called('Gatherv', 1)
    call called('Scatter', 1)
    call called('Scatterv', 1)
    call called('Allgather', 1)
    call called('Allgatherv', 1)
    call called('Alltoall', 1)
    call called('Alltoallv', 1)
    call called('Alltoallw', 1)
    call called('Reduce', 1)
    call called('Scan', 1)
    call called('Exscan', 1)
    call called('Reduce_scatter', 1)
    call called('Reduce_scatter_block', 1)
    call called('Ibarrier', 1)
    call called('Iallreduce', 1)
    call called('Iallgatherv', 1)
  end if
  call MPI_Finalize(code)
  if (r == 0) print '(a,i0,a)', 'fortran: ok with ', p, ' ranks'

contains

  subroutine called(name, each)
    character(*), intent(in) :: name
    integer, intent(in) :: each
    print '(a,a,a,i0)', 'called MPI_', name, ' ', each * times
  end subroutine

  subroutine fail(what)
    character(*), intent(in) :: what
    print '(a,i0,a,a)', 'rank ', r, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine

  subroutine all_to_all_w()
#if defined(MPIF_H) || defined(USE_MPI)
    integer :: types(most)
#else
    type(MPI_Datatype) :: types(most)
#endif
    types = MPI_INTEGER
    call MPI_Alltoallw(in, counts, bytes, types, out, counts, bytes, types, MPI_COMM_WORLD, code)
  end subroutine

end program
