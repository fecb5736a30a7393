// 16.3: Tile size of an array of structures of arrays
//
// Convert three fields of n records, one array per field, to the AoSoA layout of the page: tiles
// of 32 records, in which the 32 values of a field are contiguous. The last tile may have fewer
// records; set its unused slots to zero. With one tile the result is right. With more tiles it is
// wrong, and the wrong elements depend on the order of the threads. Find out why.

#include <cstddef>

constexpr std::size_t tile = 32;
constexpr std::size_t fields = 3;

// `places` is n, rounded up to whole tiles.
__global__ void to_tiles(const float* a, float* c, std::size_t n, std::size_t places)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < places) {
        const std::size_t first = i / tile * fields + i % tile; // field 0 of record i
        for (std::size_t k = 0; k < fields; ++k) {
            c[first + k * tile] = i < n ? a[k * n + i] : 0.0f;
        }
    }
}

// Called with a of 3 n floats and c of three for each place, in device memory.
void solve(const float* a, float* c, std::size_t n)
{
    const unsigned threads = 256;
    const std::size_t places = (n + tile - 1) / tile * tile;
    const unsigned blocks = static_cast<unsigned>((places + threads - 1) / threads);
    to_tiles<<<blocks, threads>>>(a, c, n, places);
}
