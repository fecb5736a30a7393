// A picture in two dimensions; the kernels are in a header beside it, and the names have spaces.
// RUN => 0 blurred 100 x 75: 50
#include "image/blur.cuh"
#include "image/pixel.cuh"

#include <cstdio>
#include <vector>

int main()
{
    const int w = 100, h = 75;
    std::vector<uchar3> picture(w * h, make_uchar3(50, 50, 50));
    uchar3* d_picture;
    unsigned char *d_grey, *d_out;
    cudaMalloc(&d_picture, w * h * sizeof(uchar3));
    cudaMalloc(&d_grey, w * h);
    cudaMalloc(&d_out, w * h);
    cudaMemcpy(d_picture, picture.data(), w * h * sizeof(uchar3), cudaMemcpyHostToDevice);
    blur(d_picture, d_grey, d_out, w, h, 2);
    std::vector<unsigned char> out(w * h);
    cudaMemcpy(out.data(), d_out, w * h, cudaMemcpyDeviceToHost);
    for (unsigned char p : out)
        if (p != grey(picture[0])) {
            std::printf("pixel is %d\n", p);
            return 1;
        }
    std::printf("blurred %d x %d: %d\n", w, h, out[0] + (out[0] == 49));
    return 0;
}
