// What does not compile is said in a sentence or two, at the line of the program.
// COMPILE => 1 ^[^\n]*texture_refused.cu:3: cudaTextureObject_t belongs to textures
__global__ void k(cudaTextureObject_t t, float* x) { x[0] = tex2D<float>(t, 0, 0); }
int main() {}
