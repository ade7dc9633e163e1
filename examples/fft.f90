! A Fourier transform in two dimensions: fft.c in Fortran.
!
!     fft_fortran [N]     a power of two; 256 if not given
!
! Each rank has some columns of the matrix, since a column is contiguous in Fortran. It transforms
! them, the matrix is transposed by one MPI_Alltoall, and each rank transforms what are its columns
! now. Two subarrays do the work around the MPI_Alltoall: one cuts the blocks out of the columns,
! the other is a row, and stores each block transposed.
!
! All blocks are of one size. If N is no multiple of the number of ranks, then the last rows and
! columns are padding, which stays zero.
program fft
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  implicit none
  integer :: n, rank, ranks, i, j, status
  integer :: columns, height ! of a rank, with padding
  integer :: first, here     ! this rank's columns without padding begin with `first`
  character(len=20) :: argument
  complex(real64), allocatable, dimension(:, :) :: wave, frequency, noise, x, y
  complex(real64), allocatable :: roots(:) ! exp(-2 pi i k / n)
  type(MPI_Datatype) :: block, row
  real(real64) :: of_wave, back
  logical :: good

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  n = 256
  status = 0
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *, iostat=status) n
  end if
  if (status /= 0 .or. n < 1 .or. n > 16384 .or. popcnt(n) /= 1) then
    if (rank == 0) write (error_unit, '(a)') 'fft: N must be a power of two, 16384 or less'
    call MPI_Finalize()
    stop 2, quiet=.true.
  end if
  columns = (n + ranks - 1) / ranks
  height = columns * ranks
  first = rank * columns
  here = max(0, min(columns, n - first))
  roots = [(exp(cmplx(0, -2 * acos(-1d0) * i / n, real64)), i=0, n - 1)]
  block = rows_of_columns(columns) ! the part for one rank
  row = rows_of_columns(1)

  allocate (wave(0:height - 1, 0:columns - 1))
  wave = 0
  allocate (frequency, noise, x, y, source=wave)
  do j = 0, here - 1
    do i = 0, n - 1
      wave(i, j) = conjg(roots(1 + mod(3 * i + 5 * (first + j), n))) ! it has one frequency
      if (i == mod(5, n) .and. first + j == mod(3, n)) frequency(i, j) = 1
      noise(i, j) = cmplx(modulo(sin(12.9898d0 * i + 78.233d0 * (first + j)) * 43758.5453d0, 1d0), &
                          cos(real(i + 2 * j, real64)), real64) ! anything that has all frequencies
    end do
  end do

  x = wave
  call transform(x, y, roots)
  of_wave = largest(y / n / n - frequency)
  x = noise
  call transform(x, y, roots)
  call transform(y, x, conjg(roots))
  back = largest(x / n / n - noise)
  good = of_wave < 1d-12 .and. back < 1d-12
  if (rank == 0) print '(a,i0,a,i0,a,i0,a,es7.1,a,es7.1)', &
    'fft in Fortran: ' // trim(merge('ok   ', 'WRONG', good)) // ': ', n, ' x ', n, ', ', ranks, &
    ' ranks, error of a plane wave ', of_wave, ', there and back ', back
  call MPI_Type_free(block)
  call MPI_Type_free(row)
  call MPI_Finalize()
  if (.not. good) stop 1, quiet=.true.

contains

  ! A number of rows of this rank's columns. The next ones of such a type begin right below.
  type(MPI_Datatype) function rows_of_columns(rows) result(part)
    integer, intent(in) :: rows
    type(MPI_Datatype) :: cut
    call MPI_Type_create_subarray(2, [height, columns], [rows, columns], [0, 0], &
                                  MPI_ORDER_FORTRAN, MPI_DOUBLE_COMPLEX, cut)
    call MPI_Type_create_resized(cut, 0_MPI_ADDRESS_KIND, &
                                 rows * (storage_size(roots) / 8_MPI_ADDRESS_KIND), part)
    call MPI_Type_free(cut)
    call MPI_Type_commit(part)
  end function

  ! The result in `to` is transposed: column k has the frequency k of the columns; `from` is
  ! overwritten. With the conjugate roots it is the inverse, times n * n.
  subroutine transform(from, to, roots)
    complex(real64), intent(inout) :: from(0:, 0:), to(0:, 0:)
    complex(real64), intent(in) :: roots(:)
    integer :: j
    do j = 0, here - 1
      from(:n - 1, j) = transformed(from(:n - 1, j), roots)
    end do
    call MPI_Alltoall(from, 1, block, to, columns, row, MPI_COMM_WORLD)
    do j = 0, here - 1
      to(:n - 1, j) = transformed(to(:n - 1, j), roots)
    end do
  end subroutine

  ! Cooley and Tukey's transform; `roots` are all n.
  recursive function transformed(x, roots) result(y)
    complex(real64), intent(in) :: x(:), roots(:)
    complex(real64) :: y(size(x)), even(size(x) / 2), odd(size(x) / 2)
    y = x
    if (size(x) == 1) return
    even = transformed(x(1::2), roots)
    odd = transformed(x(2::2), roots) * roots(:n / 2:n / size(x))
    y = [even + odd, even - odd]
  end function

  ! The largest of all ranks.
  real(real64) function largest(difference)
    complex(real64), intent(in) :: difference(:, :)
    real(real64) :: most
    most = maxval(abs(difference))
    call MPI_Allreduce(most, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  end function

end program
