/* Heat in a square plate whose edge stays cold, for stencil.c and stencil_tutti.c: in each step
 * every point becomes the mean of the four next to it. Each rank has a part of the points, with a
 * frame that holds copies of its neighbours' nearest ones, or the edge: zeros. */
#ifndef PLATE_H
#define PLATE_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  int points;                  /* in each direction */
  int first_row, first_column; /* this rank's part, without the frame */
  int rows, columns;
  int rank, ranks;
  MPI_Comm comm; /* a grid of the ranks */
  /* What neighbourhood collectives exchange: up, down, left, right. */
  int counts[4];
  MPI_Aint sent[4], received[4]; /* bytes from the beginning of a field */
  MPI_Datatype types[4];
} Plate;

static size_t place(const Plate* plate, int row, int column) {
  return (size_t)row * (size_t)(plate->columns + 2) + (size_t)column;
}

/* A part of the ranks' points, by the place of a rank among `parts`. */
static int first_of(int points, int part, int parts) { return (int)((long)points * part / parts); }

static Plate divide(int points) {
  Plate plate = {.points = points, .counts = {1, 1, 1, 1}};
  int sizes[2] = {0, 0}, periodic[2] = {0, 0}, at[2];
  MPI_Comm_size(MPI_COMM_WORLD, &plate.ranks);
  MPI_Dims_create(plate.ranks, 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &plate.comm);
  MPI_Comm_rank(plate.comm, &plate.rank);
  if (points < sizes[0] || points > 4000) {
    if (plate.rank == 0) fprintf(stderr, "POINTS must be %d to 4000\n", sizes[0]);
    MPI_Finalize();
    exit(2);
  }
  MPI_Cart_coords(plate.comm, plate.rank, 2, at);
  plate.first_row = first_of(points, at[0], sizes[0]);
  plate.rows = first_of(points, at[0] + 1, sizes[0]) - plate.first_row;
  plate.first_column = first_of(points, at[1], sizes[1]);
  plate.columns = first_of(points, at[1] + 1, sizes[1]) - plate.first_column;

  MPI_Datatype row, column;
  MPI_Type_contiguous(plate.columns, MPI_DOUBLE, &row);
  MPI_Type_vector(plate.rows, 1, plate.columns + 2, MPI_DOUBLE, &column);
  const int inside[4][2] = {{1, 1}, {plate.rows, 1}, {1, 1}, {1, plate.columns}};
  const int frame[4][2] = {{0, 1}, {plate.rows + 1, 1}, {1, 0}, {1, plate.columns + 1}};
  for (int side = 0; side < 4; ++side) {
    MPI_Type_dup(side < 2 ? row : column, &plate.types[side]);
    MPI_Type_commit(&plate.types[side]);
    plate.sent[side] = (MPI_Aint)(sizeof(double) * place(&plate, inside[side][0], inside[side][1]));
    plate.received[side] =
        (MPI_Aint)(sizeof(double) * place(&plate, frame[side][0], frame[side][1]));
  }
  MPI_Type_free(&row);
  MPI_Type_free(&column);
  return plate;
}

static void finish(Plate* plate) {
  for (int side = 0; side < 4; ++side) MPI_Type_free(&plate->types[side]);
  MPI_Comm_free(&plate->comm);
}

/* A wave, of which each step leaves the same part. */
static double wave(const Plate* plate, int row, int column) {
  const double angle = 3.14159265358979323846 / (plate->points + 1);
  return sin(angle * (plate->first_row + row)) * sin(2 * angle * (plate->first_column + column));
}
static double part_left(const Plate* plate, int steps) {
  const double angle = 3.14159265358979323846 / (plate->points + 1);
  return pow((cos(angle) + cos(2 * angle)) / 2, steps);
}

static double* new_field(const Plate* plate) {
  double* const field = calloc(place(plate, plate->rows + 2, 0), sizeof(double));
  if (!field) {
    fprintf(stderr, "stencil: no memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 1; i <= plate->rows; ++i)
    for (int j = 1; j <= plate->columns; ++j) field[place(plate, i, j)] = wave(plate, i, j);
  return field;
}

/* One step of the points that need no neighbour, or of all others. */
static void step(const Plate* plate, const double* from, double* to, int at_frame) {
  for (int i = 1; i <= plate->rows; ++i)
    for (int j = 1; j <= plate->columns; ++j) {
      const int is_at_frame = i == 1 || i == plate->rows || j == 1 || j == plate->columns;
      if (is_at_frame != at_frame) continue;
      to[place(plate, i, j)] = (from[place(plate, i - 1, j)] + from[place(plate, i + 1, j)] +
                                from[place(plate, i, j - 1)] + from[place(plate, i, j + 1)]) /
                               4;
    }
}

static double error_here(const Plate* plate, const double* field, int steps) {
  double most = 0;
  for (int i = 1; i <= plate->rows; ++i)
    for (int j = 1; j <= plate->columns; ++j)
      most =
          fmax(most, fabs(field[place(plate, i, j)] - part_left(plate, steps) * wave(plate, i, j)));
  return most;
}

/* Returns the program's status. */
static int report(const char* name, const Plate* plate, int steps, double error) {
  const int right = error < 1e-12;
  if (plate->rank == 0)
    printf("%s: %s: %d x %d points, %d ranks, %d steps, largest error %.1e\n", name,
           right ? "ok" : "WRONG", plate->points, plate->points, plate->ranks, steps, error);
  return right ? 0 : 1;
}

#endif
