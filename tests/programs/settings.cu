// CASE settings
// What the environment says must be what it is said to be.
// RUN MOVING_BYTES_COUNT=1 MOVING_BYTES_SEED=0 MOVING_BYTES_PATIENCE=1e2 => 0 executed and 1 of them counted
// RUN MOVING_BYTES_COUNT=x => 2 MOVING_BYTES_COUNT is 'x'; it must be all, or a whole number from 1 on\.
// RUN MOVING_BYTES_COUNT=x MOVING_BYTES_SEED=3 => 2 MOVING_BYTES_COUNT is 'x'; it must be all
// RUN MOVING_BYTES_COUNT=\x1b[31mred\r\n => 2 MOVING_BYTES_COUNT is '\?\[31mred\?\n?'; it must be all
// RUN MOVING_BYTES_CARD=\x1b[31mred => 2 '?\?\[31mred
// RUN MOVING_BYTES_TRACE=/nowhere/\x1b[31mred => 2 MOVING_BYTES_TRACE: cannot write '/nowhere/\?\[31mred'
// RUN MOVING_BYTES_JSON=/nowhere/\x1b[31mred => 2 Cannot write /nowhere/\?\[31mred
// RUN MOVING_BYTES_ASSERT=\x1b[31mred => 2 MOVING_BYTES_ASSERT is '\?\[31mred'; it must be
// RUN MOVING_BYTES_COUNT=0 => 2 MOVING_BYTES_COUNT is '0'; it must be all
// RUN MOVING_BYTES_SEED=1x => 2 MOVING_BYTES_SEED is '1x'; it must be a whole number from 0 to 18446744073709551615\.
// RUN MOVING_BYTES_SEED=18446744073709551616 => 2 MOVING_BYTES_SEED is
// RUN MOVING_BYTES_PATIENCE=abc => 2 MOVING_BYTES_PATIENCE is 'abc'; it must be a number of seconds from 0 to 1000000000, as 2\.5 is\.
// RUN MOVING_BYTES_ASSERT=return => 0 (?s)\A(?!.*--seed)
// RUN MOVING_BYTES_PATIENCE=nan => 2 MOVING_BYTES_PATIENCE is 'nan'
// CASE lost_report
// A report that cannot be written is no success of a program that ends with 0.
// RUN => 0 touch +1 +32 +2
// RUN MOVING_BYTES_JSON=/no/such/folder/results => 2 Cannot write /no/such/folder/results: No such file
// RUN MOVING_BYTES_TRACE=/no/such/trace => 2 (?s)\A(?!.*cannot write.*cannot write).*cannot write '/no/such/trace'
// RUN >/dev/full => 2 Cannot write the table of kernels to standard output: No space left
// CASE host_at_work
// A program whose host computes for long is not silent meanwhile; one that waits is left in peace, but for what it computed
// in the half second in which it began to wait.
// SLOW
// RUN MOVING_BYTES_PATIENCE=1 => 0 No kernel is running: the host code is\.\ncomputed\n(No kernel is running[^\n]*\n)?slept\n
#include "cases.hpp"
#include <ctime>
#include <unistd.h>
__global__ void nothing() {}
__global__ void touch(int* x) { x[threadIdx.x] = 1; }
CASE(settings)
{
    for (int i = 0; i < 3; ++i) nothing<<<1, 32>>>();
}
CASE(lost_report)
{
    int* x = uninitialized<int>(32);
    touch<<<1, 32>>>(x);
    touch<<<1, 32>>>(x);
}
CASE(host_at_work)
{
    const auto began = std::clock();
    while (std::clock() - began < CLOCKS_PER_SEC) continue;
    fputs("computed\n", stderr);
    usleep(1800000);
    fputs("slept\n", stderr);
    touch<<<1, 32>>>(uninitialized<int>(32));
}
