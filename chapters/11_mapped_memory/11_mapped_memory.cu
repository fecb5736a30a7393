// 11_mapped_memory: When is zero-copy faster than copying?
//
// The kernel of chapter 01 does not change; its pointers do. Mapped host memory is page-locked and
// has an address on the device: each load crosses the link, and nothing is copied before or after.
//
// add.cuh         the kernel, and its launches
// copies.cuh      the sum by way of device memory
// attributes.cuh  what the runtime knows about an address

#include "add.cuh"
#include "attributes.cuh"
#include "copies.cuh"

//! [device_pointer]
// Returns the device pointer of mapped host memory.
float* device_pointer(float* host)
{
    float* device = nullptr;
    CHECK_CUDA(cudaHostGetDevicePointer(&device, host, 0));
    return device;
}

void add_in_place(const Problem& p, unsigned passes, cudaStream_t stream)
{
    launch_add(device_pointer(p.host_a), device_pointer(p.host_b), device_pointer(p.host_c), p.n,
               passes, stream);
}
//! [device_pointer]

//! [rows]
// A row: `inputs` is where the inputs stand when it starts, as the runtime tells.
template<class T>
common::Variant row(const char* name, T* const& inputs, unsigned passes = 1)
{
    return {.name = name,
            .threads = threads,
            .columns = {{"inputs", [&] { return kind_of(inputs); }}, {"passes", passes}},
            .full_only = passes == 4};
}

// One size: in device memory, in place, and copied.
void run_size(common::Chapter& chapter, std::size_t n)
{
    common::VectorAdd device(chapter, {.n = n});
    chapter.run(row("device", device.a), device, [&](cudaStream_t stream) {
        launch_add(device.a, device.b, device.c, device.n, 1, stream);
    });
    Problem problem(chapter, common::MemoryKind::mapped, n);
    chapter.run(row("mapped", problem.host_a), problem,
                [&](cudaStream_t stream) { add_in_place(problem, 1, stream); });
    chapter.run(row("copy", problem.host_a), problem,
                [&](cudaStream_t stream) { add_copied(problem, 1, stream); });
}
//! [rows]

//! [largest]
// Several passes over mapped memory, and one address space: copies and kernels by host pointers.
void run_largest(common::Chapter& chapter, std::size_t n)
{
    Problem mapped(chapter, common::MemoryKind::mapped, n);
    for (unsigned passes : {4u, 16u}) {
        chapter.run(row("mapped", mapped.host_a, passes), mapped,
                    [&](cudaStream_t stream) { add_in_place(mapped, passes, stream); });
        chapter.run(row("copy", mapped.host_a, passes), mapped,
                    [&](cudaStream_t stream) { add_copied(mapped, passes, stream); });
    }
    for (common::MemoryKind memory : {common::MemoryKind::pinned, common::MemoryKind::pageable}) {
        Problem problem(chapter, memory, n);
        chapter.run_transfer(row("default_copies", problem.host_a), problem,
                             [&](cudaStream_t) { add_default_copies(problem); });
    }
    for (common::MemoryKind memory : {common::MemoryKind::pinned, common::MemoryKind::managed}) {
        Problem problem(chapter, memory, n);
        common::Variant variant = row("host_pointer", problem.host_a);
        if (memory == common::MemoryKind::managed) {
            variant.task = "add"; // its pages move to the device once: an add there is timed
        }
        chapter.run(variant, problem, [&](cudaStream_t stream) {
            launch_add(problem.host_a, problem.host_b, problem.host_c, problem.n, 1, stream);
        });
    }
}
//! [largest]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    // Arrays of 1 KB to 64 MB, on the CPU device to 1 MB.
    const std::vector<std::size_t> sizes =
        chapter.sizes({.gpu = {1u << 8, 1u << 10, 1u << 12, 1u << 14, 1u << 16, 1u << 18, 1u << 20,
                               1u << 22, 1u << 24},
                       .cpu = {1u << 8, 1u << 14, 1u << 18},
                       .default_sizes = {1u << 12, 1u << 18, 1u << 24},
                       .bytes_per_element = 6 * sizeof(float)});
    for (std::size_t n : sizes) {
        run_size(chapter, n);
    }
    if (!sizes.empty()) {
        run_largest(chapter, sizes.back());
    }
    return chapter.finish();
}
