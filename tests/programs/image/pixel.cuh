#ifndef PIXEL_CUH
#define PIXEL_CUH
__host__ __device__ inline unsigned char grey(uchar3 p)
{
    return static_cast<unsigned char>(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}
#endif
