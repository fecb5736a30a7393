// A shift by as many bits as there are leaves none of them on a GPU, where the host's would shift by 0.
// RUN => 0 \A0 0 -1 0 0 -1 0 31 0\n
#include <cstdio>
template<class T>
struct Bits
{
    T value;
};
__global__ void k(int* o, unsigned lane)
{
    unsigned all = 0xffffffffu;
    const Bits<Bits<int>> one = {{1}};
    unsigned char bytes[2] = {255, 1};
    enum Place { last = 32 };
    constexpr unsigned width = 32;
    o[0] = __popc(all << (32 - lane));
    o[1] = __popc(all >> 32 - lane);
    o[2] = (one.value.value << (lane + 32)) - 1;
    o[3] = bytes[0] >> (lane + 40);
    o[4] = 1LL << (64 + lane) >> last;
    o[5] = -17 >> width + lane;
    o[6] = all >> -1 + static_cast<int>(lane);
    int shared[1 << (width / 16)] = {};
    o[7] = __ffs(1 << (width - 2)) + shared[lane];
    o[8] = __popcll(~0ull << lane - 1 + width * 2 - 64) + (1 << width / 4 * 4 % 32) - 1;
}
int main()
{
    int* o;
    cudaMallocManaged(&o, 9 * sizeof(int));
    k<<<1, 1>>>(o, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < 9; ++i)
        printf("%d%c", o[i], " \n"[i == 8]);
}
