! Poisson's equation, -u_xx - u_yy = f on the unit square with u = 0 on its edge, solved by
! conjugate gradients: cg.c in Fortran.
!
!     cg_fortran [POINTS]     points inside the square in each direction; 64 if not given
!
! Each rank has some columns of the grid, since a column is contiguous in Fortran, with a frame
! around them: the columns at both sides hold copies of the neighbours' nearest columns, or the edge
! of the square, and the first and the last row hold the edge.
program cg
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, parameter :: real8 = kind(1d0)
  integer :: points, first, columns, left, right ! columns: this rank's, without the frame
  integer :: rank, ranks, iterations, i, j, status
  character(len=20) :: argument
  real(real8), allocatable :: u(:, :), r(:, :)
  real(real8) :: h, error

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  points = 64
  status = 0
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *, iostat=status) points
  end if
  if (status /= 0 .or. points < ranks .or. points > 2000) then
    if (rank == 0) write (error_unit, '(a,i0,a)') 'cg: POINTS must be ', ranks, &
      ' (the ranks) to 2000'
    call MPI_Finalize()
    stop 2, quiet=.true.
  end if

  ! As many columns as others, or one more.
  columns = points / ranks + merge(1, 0, rank < mod(points, ranks))
  first = rank * (points / ranks) + min(rank, mod(points, ranks))
  left = merge(rank - 1, MPI_PROC_NULL, rank > 0) ! nothing is exchanged with MPI_PROC_NULL
  right = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
  h = 1 / real(points + 1, real8)
  allocate (u(0:points + 1, 0:columns + 1), r(0:points + 1, 0:columns + 1))
  u = 0
  r = 0
  do j = 1, columns
    do i = 1, points
      r(i, j) = 2 * h**2 * (hill(i * h) + hill((first + j) * h))
    end do
  end do

  call solve(u, r, iterations)

  error = 0
  do j = 1, columns
    do i = 1, points
      error = max(error, abs(u(i, j) - hill(i * h) * hill((first + j) * h)))
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(a,i0,a,i0,a,i0,a,i0,a,es7.1)', &
    'cg in Fortran: ' // trim(merge('ok   ', 'WRONG', error < 1d-9)) // ': ', points, ' x ', &
    points, ' points, ', ranks, ' ranks, ', iterations, ' iterations, largest error ', error
  call MPI_Finalize()
  if (.not. error < 1d-9) stop 1, quiet=.true.

contains

  ! The solution is u = hill(x) hill(y). The stencil is exact for polynomials of such a degree, so
  ! the computed u may differ from it by rounding only.
  real(real8) pure function hill(x)
    real(real8), intent(in) :: x
    hill = x * (1 - x)
  end function

  subroutine exchange(x)
    real(real8), intent(inout) :: x(0:points + 1, 0:columns + 1)
    call MPI_Sendrecv(x(:, 1), points + 2, MPI_DOUBLE_PRECISION, left, 0, x(:, columns + 1), &
                      points + 2, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(x(:, columns), points + 2, MPI_DOUBLE_PRECISION, right, 0, x(:, 0), &
                      points + 2, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine

  ! y = A x, where A is the five-point stencil.
  subroutine multiply(x, y)
    real(real8), intent(inout) :: x(0:points + 1, 0:columns + 1), y(0:points + 1, 0:columns + 1)
    integer :: n, m
    n = points
    m = columns
    call exchange(x)
    y(1:n, 1:m) = 4 * x(1:n, 1:m) - x(0:n - 1, 1:m) - x(2:n + 1, 1:m) - x(1:n, 0:m - 1) &
                  - x(1:n, 2:m + 1)
  end subroutine

  ! MPI_Allreduce gives all ranks the same bits, so all leave the loop in the same iteration.
  real(real8) function dot(x, y)
    real(real8), intent(in) :: x(0:points + 1, 0:columns + 1), y(0:points + 1, 0:columns + 1)
    real(real8) :: total
    total = sum(x(:, 1:columns) * y(:, 1:columns))
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    dot = total
  end function

  ! Solves A u = r from u = 0 on; r is overwritten.
  subroutine solve(u, r, iterations)
    real(real8), intent(inout) :: u(0:points + 1, 0:columns + 1), r(0:points + 1, 0:columns + 1)
    integer, intent(out) :: iterations
    real(real8), allocatable :: p(:, :), q(:, :)
    real(real8) :: rr, enough, before, alpha
    allocate (p, q, mold=u)
    p = r
    q = 0
    rr = dot(r, r)
    enough = 1d-24 * rr ! squares: the residual has become 1e-12 of the first one
    iterations = 0
    do while (rr > enough .and. iterations < 10 * points)
      call multiply(p, q)
      alpha = rr / dot(p, q)
      before = rr
      u = u + alpha * p
      r = r - alpha * q
      rr = dot(r, r)
      p = r + rr / before * p
      iterations = iterations + 1
    end do
  end subroutine

end program
