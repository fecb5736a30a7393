// 16.1: Load a structure with one vector access
//
// An image stores blue, green, red and alpha per pixel, and you need red, green, blue and alpha:
// swap the first and third field of every record. This kernel moves single fields, so each sector
// of the image is touched by four loads and by four stores. You cannot change the layout. Move
// each record with one access.

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
