! Sums over images, and what images write into each other's memory between barriers.
program coarrays
  implicit none
  integer, parameter :: n = 100, steps = 200
  real(8) :: own(n), total(n)
  real(8), allocatable :: edge(:)[:]
  integer :: i, next, last, seed
  allocate(edge(2)[*])
  next = merge(1, this_image() + 1, this_image() == num_images())
  last = merge(num_images(), this_image() - 1, this_image() == 1)
  own = [(sin(real(i * this_image(), 8)), i = 1, n)]
  edge = 0
  seed = merge(7, 0, this_image() == 1)
  call co_broadcast(seed, 1)
  do i = 1, steps
    sync all
    edge(1)[next] = own(n)
    edge(2)[last] = own(1)
    sync all
    own(2:n - 1) = own(2:n - 1) + 0.1d0 * (own(1:n - 2) - 2 * own(2:n - 1) + own(3:n))
    own(1) = 0.5d0 * (own(1) + edge(1))
    own(n) = 0.5d0 * (own(n) + edge(2))
    if (mod(i, 50) == 0) then
      total = own
      call co_sum(total)
      if (this_image() == 1) print '(i5, 2f20.12)', i, total(1), sum(total)
      total = own
      call co_max(total)
      if (this_image() == 1) print '(i5, 2f20.12)', seed, total(n), maxval(total)
      total = own
      call co_min(total, 1)
      if (this_image() == 1) print '(f20.12)', minval(total)
    end if
  end do
end program
