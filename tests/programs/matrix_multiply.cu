// Tiled matrix multiplication in the style of a structure that carries width, height and data.
// RUN => 0 Test PASSED
// RUN MOVING_BYTES_SEED=77 => 0 Test PASSED
#include <iostream>
#include <vector>
#define TILE 16

typedef struct {
    int width;
    int height;
    int stride;
    float* elements;
} Matrix;

__device__ float GetElement(const Matrix A, int row, int col)
{
    return A.elements[row * A.stride + col];
}

__device__ void SetElement(Matrix A, int row, int col, float value)
{
    A.elements[row * A.stride + col] = value;
}

__device__ Matrix GetSubMatrix(Matrix A, int row, int col)
{
    Matrix sub;
    sub.width = TILE;
    sub.height = TILE;
    sub.stride = A.stride;
    sub.elements = &A.elements[A.stride * TILE * row + TILE * col];
    return sub;
}

__global__ void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix Csub = GetSubMatrix(C, blockIdx.y, blockIdx.x);
    float value = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < (A.width / TILE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockIdx.y, m);
        Matrix Bsub = GetSubMatrix(B, m, blockIdx.x);
        __shared__ float As[TILE][TILE];
        __shared__ float Bs[TILE][TILE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < TILE; ++e)
            value += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(Csub, row, col, value);
}

static Matrix upload(const std::vector<float>& values, int height, int width)
{
    Matrix m = {width, height, width, nullptr};
    cudaMalloc((void**)&m.elements, values.size() * sizeof(float));
    cudaMemcpy(m.elements, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return m;
}

int main()
{
    const int h = 48, k = 64, w = 32;
    std::vector<float> a(h * k), b(k * w), c(h * w);
    for (int i = 0; i < h * k; ++i)
        a[i] = float(i % 7);
    for (int i = 0; i < k * w; ++i)
        b[i] = float(i % 5);
    Matrix A = upload(a, h, k), B = upload(b, k, w), C = upload(c, h, w);
    dim3 dimBlock(TILE, TILE);
    dim3 dimGrid(w / dimBlock.x, h / dimBlock.y);
    MatMul<<<dimGrid, dimBlock>>>(A, B, C);
    cudaMemcpy(c.data(), C.elements, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < h; ++i)
        for (int j = 0; j < w; ++j) {
            float expected = 0;
            for (int e = 0; e < k; ++e)
                expected += a[i * k + e] * b[e * w + j];
            right = right && c[i * w + j] == expected;
        }
    std::cout << "Test " << (right ? "PASSED" : "FAILED") << "\n";
    cudaFree(A.elements);
    cudaFree(B.elements);
    cudaFree(C.elements);
    return right ? 0 : 1;
}
