// Arguments with copy constructors and destructors: the host copies each once for a launch, and
// destroys that copy; the threads of the kernel have its bits.
// RUN => 0 all launches arrived; each copied once\n(.|\n)*6 kernel launches
// RUN MOVING_BYTES_SEED=3 => 0 all launches arrived; each copied once
#include <cstdio>
#include <cstdlib>

int copies = 0, destroyed = 0;

/// Frees its memory, unless it is a copy.
template<class T>
class DeviceArray
{
  public:
    explicit DeviceArray(int size) : size_(size) { cudaMalloc(&data_, size * sizeof(T)); }
    DeviceArray(const DeviceArray& other) : data_(other.data_), owner_(false), size_(other.size_)
    {
        ++copies;
    }
    ~DeviceArray()
    {
        ++destroyed;
        if (owner_)
            cudaFree(data_);
    }
    __device__ T& operator[](int i) { return data_[i]; }
    __host__ __device__ int size() const { return size_; }
    __device__ void forget() { size_ = 0; }
    T* data() { return data_; }

  private:
    T* data_;
    bool owner_ = true;
    int size_;
};

/// Too large for registers.
struct Pair
{
    double values[5];
    ~Pair() { ++destroyed; }
};

__global__ void plain(DeviceArray<int> a, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.size())
        a[i] = first + i;
    a.forget(); // of this thread alone
}

template<class T>
__global__ void deduced(T first, DeviceArray<T> a, Pair pair)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.size())
        a[i] = first + i + static_cast<int>(pair.values[4]);
}

template<class T>
__global__ void converted(DeviceArray<T> a, size_t first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.size())
        a[i] = static_cast<T>(first) + i;
}

void check(const char* what, int* data, int first, int expected_copies, int expected_destroyed)
{
    int last = 0;
    cudaError_t status = cudaMemcpy(&last, data + 99, sizeof(int), cudaMemcpyDeviceToHost);
    if (status != cudaSuccess || cudaGetLastError() != cudaSuccess || last != first + 99 ||
        copies != expected_copies || destroyed != expected_destroyed) {
        printf("%s: %d, %d copies, %d destroyed\n", what, last, copies, destroyed);
        exit(1);
    }
    copies = destroyed = 0;
}

int main()
{
    DeviceArray<int> a(100);
    Pair pair = {{0, 0, 0, 0, 7}};

    plain<<<1, 128>>>(a, 1);
    check("a kernel by its name", a.data(), 1, 1, 1);
    auto pointer = plain;
    pointer<<<1, 128>>>(a, 2);
    check("a kernel by a pointer", a.data(), 2, 1, 1);
    deduced<<<1, 128>>>(3, a, pair);
    check("deduced template arguments", a.data(), 10, 1, 2);
    deduced<int><<<1, 128>>>(4, a, pair);
    check("given template arguments", a.data(), 11, 1, 2);
    int first = 5;
    void* arguments[] = {&a, &first};
    cudaLaunchKernel(plain, dim3(1), dim3(128), arguments);
    check("cudaLaunchKernel", a.data(), 5, 0, 0);

    // A parameter that is not what is passed, of a template: here each thread makes it.
    converted<<<1, 128>>>(a, 6);
    cudaMemcpy(&first, a.data() + 99, sizeof(int), cudaMemcpyDeviceToHost);
    if (first != 6 + 99)
        return 1;
    printf("all launches arrived; each copied once\n");
}
