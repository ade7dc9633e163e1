! Data-parallel training: all ranks have the same small neural network, each computes the gradient
! on its share of the samples, and the gradients are summed in 16 bits a number: train.c in Fortran.
!
!     train_fortran [NEURONS]     in the hidden layer; 32 if not given
!
! Fortran has no type of bfloat16, the upper half of a real of 32 bits. So integers keep the bits,
! and the sum is an operation of this program's.
module bfloat16
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  use, intrinsic :: iso_fortran_env, only: int16, int32, int64, real32
  use mpi_f08, only: MPI_Datatype
  implicit none

contains

  real(real32) elemental function widen(half)
    integer(int16), intent(in) :: half
    widen = transfer(ishft(int(half, int32), 16), widen)
  end function

  ! To the nearest; of two that are equally near, to the even one. The gradients have no NaN.
  integer(int16) elemental function narrow(x)
    real(real32), intent(in) :: x
    integer(int64) :: bits ! with their sign, as the result has it
    bits = transfer(x, 0_int32)
    narrow = int(shifta(bits + 32767 + ibits(bits, 16, 1), 16), int16)
  end function

  ! An MPI_User_function. MPI calls it for parts of a message as it likes.
  subroutine add_halves(in, inout, count, datatype)
    type(c_ptr), value :: in, inout
    integer :: count
    type(MPI_Datatype) :: datatype
    integer(int16), pointer :: a(:), b(:)
    call c_f_pointer(in, a, [count])
    call c_f_pointer(inout, b, [count])
    b = narrow(widen(a) + widen(b))
  end subroutine

end module

program train
  use mpi_f08
  use bfloat16
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  implicit none
  integer, parameter :: samples = 512, steps = 200
  integer :: neurons, weights, rank, ranks, i, status
  character(len=20) :: argument
  ! Of neuron k the weights of x, of y, the bias, and that of its output are w(:, k). Behind them is
  ! the output's bias, in w(1, neurons + 1), with zeros.
  real(real32), allocatable :: w(:, :), gradient(:, :), momentum(:, :)
  integer(int16), allocatable :: halves(:, :) ! the gradient, rounded; then the sum of all ranks'
  real(real64) :: first, last
  real(real32) :: off
  logical :: good, equal
  type(MPI_Op) :: add

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  neurons = 32
  status = 0
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *, iostat=status) neurons
  end if
  if (status /= 0 .or. neurons < 8 .or. neurons > 256) then
    if (rank == 0) write (error_unit, '(a)') 'train: NEURONS must be 8 to 256'
    call MPI_Finalize()
    stop 2, quiet=.true.
  end if
  weights = 4 * (neurons + 1)
  allocate (w(4, neurons + 1), halves(4, neurons + 1))
  w = 0
  allocate (gradient, momentum, source=w)
  if (rank == 0) then
    call random_init(repeatable=.true., image_distinct=.false.)
    call random_number(w(:, 1:neurons))
    w(:, 1:neurons) = w(:, 1:neurons) - 0.5
  end if
  call MPI_Op_create(add_halves, .true., add) ! it commutes
  call MPI_Bcast(w, weights, MPI_REAL, 0, MPI_COMM_WORLD)

  call sum_gradients(first)
  call MPI_Allreduce(MPI_IN_PLACE, gradient, weights, MPI_REAL, MPI_SUM, MPI_COMM_WORLD)
  off = maxval(abs(gradient - widen(halves))) / maxval(abs(gradient))
  do i = 1, steps ! gradient descent with momentum
    momentum = 0.9 * momentum + widen(halves)
    w = w - 8.0 / (weights + 64) * momentum
    call sum_gradients(last)
  end do

  equal = equal_on_all()
  good = off < 0.02 .and. last < first / 4 .and. equal
  if (rank == 0) print '(a,i0,3a,i0,a,f6.4,a,f6.4,a,f3.1,a)', &
    'train in Fortran: ' // trim(merge('ok   ', 'WRONG', good)) // ': ', 4 * neurons + 1, &
    ' weights, ', trim(merge('equal    ', 'DIFFERENT', equal)), ' on ', ranks, ' ranks, loss ', &
    first, ', then ', last, ', sums off by ', 100 * off, ' %'
  call MPI_Op_free(add)
  call MPI_Finalize()
  if (.not. good) stop 1, quiet=.true.

contains

  ! The loss of all samples. In halves is then the sum of all gradients. MPI_Allreduce gives all
  ! ranks the same bits. So weights that were equal stay equal, and are never sent again.
  subroutine sum_gradients(loss)
    real(real64), intent(out) :: loss
    real(real32) :: x, y, wanted, slope, t(neurons)
    integer :: i
    loss = 0
    gradient = 0
    do i = rank, samples - 1, ranks
      x = mod(i * 37, samples) * 2.0 / samples - 1
      y = mod(i * 211, samples) * 2.0 / samples - 1
      wanted = sin(3 * x) * y
      t = tanh(w(1, 1:neurons) * x + w(2, 1:neurons) * y + w(3, 1:neurons))
      slope = 2 * (dot_product(w(4, 1:neurons), t) + w(1, neurons + 1) - wanted) / samples
      loss = loss + samples * slope**2 / 4
      gradient(4, 1:neurons) = gradient(4, 1:neurons) + slope * t
      t = slope * w(4, 1:neurons) * (1 - t**2)
      gradient(1, 1:neurons) = gradient(1, 1:neurons) + t * x
      gradient(2, 1:neurons) = gradient(2, 1:neurons) + t * y
      gradient(3, 1:neurons) = gradient(3, 1:neurons) + t
      gradient(1, neurons + 1) = gradient(1, neurons + 1) + slope
    end do
    halves = narrow(gradient)
    call MPI_Allreduce(MPI_IN_PLACE, loss, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, halves, weights, MPI_INTEGER2, add, MPI_COMM_WORLD)
  end subroutine

  ! Whether all ranks have the weights of rank 0, bit for bit.
  logical function equal_on_all()
    real(real32) :: of_root(4, neurons + 1)
    logical :: equal_here
    of_root = w
    call MPI_Bcast(of_root, weights, MPI_REAL, 0, MPI_COMM_WORLD)
    equal_here = all(transfer(of_root, [0_int32]) == transfer(w, [0_int32]))
    call MPI_Allreduce(equal_here, equal_on_all, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
  end function

end program
