// 16.1: Load a structure with one vector access
//
// A picture from another program keeps blue, green, red and alpha of each pixel, and you need red,
// green, blue and alpha: the first and the third field of every record change places. This kernel
// moves field by field, so each sector of the picture is touched by four loads, and by four stores.
// The layout is given. Move each record in one piece.

#include <cstddef>

struct Pixel
{
    float field[4];
};

__global__ void swap_colours(const Pixel* a, Pixel* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        for (unsigned k = 0; k < 4; ++k) {
            c[i].field[k] = a[i].field[k % 2 == 0 ? 2 - k : k];
        }
    }
}

// Called with n pixels of four floats in device memory, at multiples of 256 bytes.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    swap_colours<<<blocks, threads>>>(reinterpret_cast<const Pixel*>(a),
                                      reinterpret_cast<Pixel*>(c), n);
}
