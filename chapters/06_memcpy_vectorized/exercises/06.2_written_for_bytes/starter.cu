// 06.2: Element counts and access counts
//
// This copy was written for bytes, tested with many sizes, and later made a template. It is still
// correct for units of one byte; solve() uses it for units of two and of four. Find out which
// quantity it mistakes for another, and make it correct for units and words of any size, if a word
// is a multiple of a unit. Keep the words 16 bytes wide.

#include <cstddef>

template<class Element, class Access>
__global__ void copy_words(const Element* a, Element* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t words = n / sizeof(Access);
    if (i < words) {
        reinterpret_cast<Access*>(c)[i] = reinterpret_cast<const Access*>(a)[i];
    } else if (i == words) {
        for (std::size_t k = words * sizeof(Access); k < n; ++k) {
            c[k] = a[k];
        }
    }
}

template<class Element>
void copy(const Element* a, Element* c, std::size_t n)
{
    const unsigned threads = 256;
    const std::size_t words = n / sizeof(uint4);
    const unsigned blocks = static_cast<unsigned>((words + 1 + threads - 1) / threads);
    copy_words<Element, uint4><<<blocks, threads>>>(a, c, n);
}

// Called with n units in device memory, up to 2^31; the arrays begin at multiples of 16 bytes.
void solve(const unsigned short* a, unsigned short* c, std::size_t n)
{
    copy(a, c, n);
}
void solve(const unsigned* a, unsigned* c, std::size_t n)
{
    copy(a, c, n);
}
