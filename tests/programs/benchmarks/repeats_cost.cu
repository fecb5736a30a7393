// What an uncounted launch costs of the time of a counted one, without barriers and with them. Two are counted:
//     MOVING_BYTES_COUNT=2 ./run tests/programs/benchmarks/repeats_cost.cu
// SLOW
// RUN MOVING_BYTES_COUNT=2 => 0 (?m)^0 wrong$
#include "../add_and_transpose.cuh"

#include <cstdio>
#include <ctime>
#include <vector>
constexpr int side = 1024, n = side * side, repeats = 12;
double cpu_seconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}
template<class Launch>
void measure(const char* name, Launch launch)
{
    const double begin = cpu_seconds();
    launch();
    cudaDeviceSynchronize();
    const double counted = cpu_seconds();
    launch(); // perhaps counted
    const double middle = cpu_seconds();
    for (int i = 2; i < repeats; ++i) launch();
    cudaDeviceSynchronize();
    printf("%s: a repeat takes 1/%.1f of the first launch\n", name,
           (counted - begin) / ((cpu_seconds() - middle) / (repeats - 2)));
}
int main()
{
    std::vector<float> a(n), c(n);
    for (int i = 0; i < n; ++i) a[i] = i % 1000;
    float *da, *dc;
    cudaMalloc(&da, n * sizeof(float)), cudaMalloc(&dc, n * sizeof(float));
    cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    int wrong = 0;
    measure("add", [&] { add<<<n / 256, 256>>>(da, da, dc, n); });
    cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) wrong += c[i] != a[i] + a[i];
    measure("transpose", [&] { transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(da, dc, side); });
    cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) wrong += c[i] != a[i % side * side + i / side];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
