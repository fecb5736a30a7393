// What a price of an option needs of the normal distribution, and its inverse.
// RUN => 0 \A0\.5 0\.975 1\.95996 -37\.0471 0\.476936 1e-20 inf -1 0 wrong\n
#include <cstdio>
__global__ void k(double* d, int* wrong)
{
    d[0] = normcdf(0.0);
    d[1] = normcdff(1.959964f);
    d[2] = normcdfinvf(0.975f);
    d[3] = normcdfinv(1e-300);
    d[4] = erfinv(0.5f);
    d[5] = erfcinv(1.0 - erf(1e-20)) + erfinv(erf(1e-20));
    d[6] = erfinv(1.0);
    d[7] = erfcinv(erfc(-1.0));
    for (double x = -5; x < 5; x += 0.01)
        *wrong += fabs(erfinv(erf(x)) - x) > 1e-13 + 1e-15 * exp(x * x) ||
                  fabs(normcdfinv(normcdf(-fabs(x))) + fabs(x)) > 1e-13;
}
int main()
{
    double* d;
    int* wrong;
    cudaMallocManaged(&d, 8 * sizeof(double));
    cudaMallocManaged(&wrong, sizeof(int));
    *wrong = 0;
    k<<<1, 1>>>(d, wrong);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; ++i)
        printf("%g ", d[i]);
    printf("%d wrong\n", *wrong);
}
