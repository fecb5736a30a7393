// 06.3: Compute the access width
//
// Five kernels copy the same 16384 bytes. The check launches them on the CPU device and prints its
// counts, in rows A to E, in no particular order. Which kernel produced which row? Enter the
// letters at the end of this file. Leave the kernels as they are.

#include <cstddef>

struct Word32
{
    uint4 low, high;
};

template<class Access>
__global__ void copy_words(const Access* a, Access* c)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    c[i] = a[i];
}

__global__ void four_bytes_per_thread(const unsigned char* a, unsigned char* c)
{
    const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
    for (unsigned k = 0; k < 4; ++k) {
        c[first + k] = a[first + k];
    }
}

template<class Access>
void launch_words(const unsigned char* a, unsigned char* c, unsigned bytes)
{
    copy_words<<<bytes / sizeof(Access) / 256, 256>>>(reinterpret_cast<const Access*>(a),
                                                      reinterpret_cast<Access*>(c));
}

// How the check launches them.
void solve(unsigned kernel, const unsigned char* a, unsigned char* c)
{
    const unsigned bytes = 16384;
    switch (kernel) {
    case 0:
        return launch_words<unsigned char>(a, c, bytes);
    case 1:
        return four_bytes_per_thread<<<bytes / 4 / 256, 256>>>(a, c);
    case 2:
        return launch_words<unsigned>(a, c, bytes);
    case 3:
        return launch_words<uint4>(a, c, bytes);
    default:
        return launch_words<Word32>(a, c, bytes);
    }
}

// Your answers: 'A', 'B', 'C', 'D' or 'E'.
char row_of_bytes()
{
    return '?';
}
char row_of_four_bytes_per_thread()
{
    return '?';
}
char row_of_words_of_4()
{
    return '?';
}
char row_of_words_of_16()
{
    return '?';
}
char row_of_words_of_32()
{
    return '?';
}
