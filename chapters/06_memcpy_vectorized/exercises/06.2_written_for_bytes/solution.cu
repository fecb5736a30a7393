// 06.2: Written for bytes, a solution
//
// n counts units, sizeof(Word) counts bytes. With bytes for units the two are the same number. The
// number of words, the start of the tail and the size of the grid all need the units in a word.

#include <cstddef>

template<class Unit, class Word>
__global__ void copy_words(const Unit* a, Unit* c, std::size_t n)
{
    constexpr std::size_t units = sizeof(Word) / sizeof(Unit);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t words = n / units;
    if (i < words) {
        reinterpret_cast<Word*>(c)[i] = reinterpret_cast<const Word*>(a)[i];
    } else if (i == words) {
        for (std::size_t k = words * units; k < n; ++k) {
            c[k] = a[k];
        }
    }
}

// Called with n units in device memory, any number; the arrays begin at multiples of 16 bytes.
void solve(const unsigned short* a, unsigned short* c, std::size_t n)
{
    const unsigned threads = 256;
    const std::size_t words = n / (sizeof(uint4) / sizeof(unsigned short));
    const unsigned blocks = static_cast<unsigned>((words + 1 + threads - 1) / threads);
    copy_words<unsigned short, uint4><<<blocks, threads>>>(a, c, n);
}
