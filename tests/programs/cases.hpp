// Cases of one program: CASE(name) { ... } is run where the program's argument is its name; then the program waits for the
// device and prints what it says. And what their set-up repeats.
#pragma once
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

struct Case
{
    static std::map<std::string, void (*)()>& all()
    {
        static std::map<std::string, void (*)()> cases;
        return cases;
    }
    Case(const char* name, void (*run)()) { all()[name] = run; }
};

#define CASE(name)                                                                                                     \
    void name();                                                                                                       \
    const Case case_##name(#name, name);                                                                               \
    void name()

int main(int, char** argv)
{
    Case::all().at(argv[1])();
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

/// Memory of the device that nothing has written.
template<class T>
T* uninitialized(std::size_t elements)
{
    T* x = nullptr;
    cudaMalloc(&x, elements * sizeof(T));
    return x;
}

/// Memory of the device, all zero.
template<class T>
T* array(std::size_t elements)
{
    T* const x = uninitialized<T>(elements);
    cudaMemset(x, 0, elements * sizeof(T));
    return x;
}

/// Managed memory, all zero.
template<class T>
T* managed_array(std::size_t elements)
{
    T* x = nullptr;
    cudaMallocManaged(&x, elements * sizeof(T));
    std::memset(static_cast<void*>(x), 0, elements * sizeof(T));
    return x;
}

/// Memory of the device that holds the values.
template<class T>
T* uploaded(const std::vector<T>& values)
{
    T* const x = uninitialized<T>(values.size());
    cudaMemcpy(x, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return x;
}

/// What memory of the device holds.
template<class T>
std::vector<T> downloaded(const T* x, std::size_t elements)
{
    std::vector<T> values(elements);
    cudaMemcpy(values.data(), x, elements * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
}
