// Kernels as people of many fields write them, half of them from the sciences, by somebody who had
// not seen the time model: grids, particles, matrices, graphs, tables, texts, pictures and
// networks. Each is followed by what launches it and by a check of what it leaves behind.
//
// kernel_set.hpp says what the program is told and prints. Of 2^18 numbers:
// WITH -DLOG2N=18
// RUN => 0 wave3d_order8,yes\n(\w+,yes\n){28}finish_dot,yes
// SLOW
#include "kernel_set.hpp"

const char* const kernels_name = "fieldwork";

/// Where each of `count` lists begins, of `least` to `most` elements, and where the last ends.
std::vector<u> list_starts(size_t count, u seed, u least, u most)
{
    std::vector<u> start(count + 1);
    for (size_t i = 0; i < count; ++i)
        start[i + 1] = start[i] + least + below(seed, most - least + 1)(i);
    return start;
}

/// A box of cells of which x varies fastest, about as long in each direction.
struct Cells
{
    int x, y, z;

    explicit Cells(int log2) : x(1 << (log2 + 2) / 3), y(1 << (log2 + 1) / 3), z(1 << log2 / 3) {}
    size_t size() const { return static_cast<size_t>(x) * y * z; }
    size_t plane() const { return static_cast<size_t>(x) * y; }
};

/// Where cell `i` of a box lies.
struct Place
{
    int x, y, z;

    Place(const Cells& box, size_t i)
        : x(static_cast<int>(i % box.x)), y(static_cast<int>(i / box.x % box.y)),
          z(static_cast<int>(i / box.plane()))
    {}

    bool within(const Cells& box, int low, int high) const
    {
        return std::min({x, y, z}) >= low && x < box.x - high && y < box.y - high &&
               z < box.z - high;
    }
};

// --- grids ---------------------------------------------------------------------------------------

__constant__ float wave_weights[5];

/// A step of the acoustic wave equation of the eighth order in space: a block marches through some
/// planes, with the plane in shared memory and the column in registers.
__global__ void wave3d_order8(const float* now, float* next, const float* speed, Cells box,
                              int depth)
{
    __shared__ float tile[16][40];
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 8 + threadIdx.y;
    const int tx = threadIdx.x + 4;
    const int ty = threadIdx.y + 4;
    const bool inside = x >= 4 && x < box.x - 4 && y >= 4 && y < box.y - 4;
    const int plane = box.x * box.y;
    const int first = max(4, static_cast<int>(blockIdx.z) * depth);
    const int last = min(box.z - 4, static_cast<int>(blockIdx.z + 1) * depth);
    int at = (first * box.y + y) * box.x + x;
    float column[9];
#pragma unroll
    for (int k = 0; k < 8; ++k)
        column[k] = now[at + (k - 4) * plane];
    for (int z = first; z < last; ++z, at += plane) {
        column[8] = now[at + 4 * plane];
        __syncthreads();
        tile[ty][tx] = column[4];
        if (threadIdx.y < 4) {
            tile[ty - 4][tx] = y >= 4 ? now[at - 4 * box.x] : 0;
            tile[ty + 8][tx] = y + 8 < box.y ? now[at + 8 * box.x] : 0;
        }
        if (threadIdx.x < 4) {
            tile[ty][tx - 4] = x >= 4 ? now[at - 4] : 0;
            tile[ty][tx + 32] = x + 32 < box.x ? now[at + 32] : 0;
        }
        __syncthreads();
        if (inside) {
            float sum = 3 * wave_weights[0] * column[4];
#pragma unroll
            for (int k = 1; k <= 4; ++k)
                sum += wave_weights[k] * (column[4 - k] + column[4 + k] + tile[ty][tx - k] +
                                          tile[ty][tx + k] + tile[ty - k][tx] + tile[ty + k][tx]);
            next[at] = 2 * column[4] - next[at] + speed[at] * sum;
        }
#pragma unroll
        for (int k = 0; k < 8; ++k)
            column[k] = column[k + 1];
    }
}

bool try_wave3d_order8(const char* name)
{
    const Cells box(log2n);
    const float weights[] = {-205.0F / 72, 8.0F / 5, -1.0F / 5, 8.0F / 315, -1.0F / 560};
    cudaMemcpyToSymbol(wave_weights, weights, sizeof weights);
    const Array<float> now(box.size(), noise(1, -1));
    Array<float> next(box.size(), noise(2, -1));
    const Array<float> speed(box.size(), noise(3, 0.01F, 0.1F));
    return run(
        name,
        [&] {
            wave3d_order8<<<dim3(box.x / 32, box.y / 8, 8), dim3(32, 8)>>>(
                now.memory, next.memory, speed.memory, box, box.z / 8);
        },
        [&] {
            return matches(next, [&](size_t i) {
                if (!Place(box, i).within(box, 4, 4))
                    return double{next.first[i]};
                double sum = 3 * double{weights[0]} * now.first[i];
                for (size_t k = 1; k <= 4; ++k)
                    for (const size_t step : {size_t{1}, static_cast<size_t>(box.x), box.plane()})
                        sum += double{weights[k]} *
                               (double{now.first[i - k * step]} + now.first[i + k * step]);
                return 2 * double{now.first[i]} - next.first[i] + speed.first[i] * sum;
            });
        },
        [&] { next.reset(); });
}

/// A sweep of Jacobi over the compact nine-point form of Poisson's equation.
__global__ void jacobi_9point(const double* u0, const double* f, double* u1, int width, double hh)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= width - 1)
        return;
    const double* at = u0 + static_cast<size_t>(y) * width + x;
    const double sides = at[-1] + at[1] + at[-width] + at[width];
    const double corners = at[-width - 1] + at[-width + 1] + at[width - 1] + at[width + 1];
    u1[static_cast<size_t>(y) * width + x] =
        (4 * sides + corners - 6 * hh * f[static_cast<size_t>(y) * width + x]) / 20;
}

bool try_jacobi_9point(const char* name)
{
    const int width = side(0);
    const size_t cells = static_cast<size_t>(width) * width;
    const Array<double> u0(cells, noise(4));
    const Array<double> f(cells, noise(5));
    const Array<double> u1(cells);
    return run(
        name,
        [&] {
            jacobi_9point<<<dim3(width / 64, width / 4), dim3(64, 4)>>>(u0.memory, f.memory,
                                                                        u1.memory, width, 0.5);
        },
        [&] {
            return matches(u1, [&](size_t i) {
                const int x = static_cast<int>(i % width);
                const int y = static_cast<int>(i / width);
                if (std::min(x, y) == 0 || std::max(x, y) == width - 1)
                    return 0.0;
                double sum = -3 * f.first[i];
                for (int dy = -1; dy <= 1; ++dy)
                    for (int dx = -1; dx <= 1; ++dx)
                        if (dx != 0 || dy != 0)
                            sum += (dx * dy == 0 ? 4 : 1) *
                                   u0.first[static_cast<size_t>(y + dy) * width + (x + dx)];
                return sum / 20;
            });
        });
}

/// What a cell's nine populations become by a collision.
template<class T>
__host__ __device__ void collide(T (&f)[9], T omega)
{
    const T density = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
    const T ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density;
    const T uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density;
    const T base = 1 - T(1.5) * (ux * ux + uy * uy);
    const T along[9] = {0, ux, uy, -ux, -uy, ux + uy, uy - ux, -ux - uy, ux - uy};
    const T share[3] = {T(4) / 9, T(1) / 9, T(1) / 36};
    for (int k = 0; k < 9; ++k) {
        const T rest = share[k == 0  ? 0
                             : k < 5 ? 1
                                     : 2] *
                       density * (base + 3 * along[k] + T(4.5) * along[k] * along[k]);
        f[k] += omega * (rest - f[k]);
    }
}

/// A step of lattice Boltzmann with nine speeds, which pulls from its neighbours on a torus.
__global__ void lbm_d2q9(const float* from, float* to, int width, int height, float omega)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    const int cells = width * height;
    const int west = x == 0 ? width - 1 : x - 1;
    const int east = x == width - 1 ? 0 : x + 1;
    const int row = y * width;
    const int south = (y == 0 ? height - 1 : y - 1) * width;
    const int north = (y == height - 1 ? 0 : y + 1) * width;
    float f[9] = {from[row + x],
                  from[cells + row + west],
                  from[2 * cells + south + x],
                  from[3 * cells + row + east],
                  from[4 * cells + north + x],
                  from[5 * cells + south + west],
                  from[6 * cells + south + east],
                  from[7 * cells + north + east],
                  from[8 * cells + north + west]};
    collide(f, omega);
#pragma unroll
    for (int k = 0; k < 9; ++k)
        to[k * cells + row + x] = f[k];
}

bool try_lbm_d2q9(const char* name)
{
    const size_t width = side(2);
    const size_t height = n / 8 / width;
    const size_t cells = width * height;
    const Array<float> from(9 * cells, noise(6, 0.1F, 0.2F));
    const Array<float> to(9 * cells);
    return run(
        name,
        [&] {
            lbm_d2q9<<<dim3(static_cast<u>(width / 128), static_cast<u>(height)), 128>>>(
                from.memory, to.memory, static_cast<int>(width), static_cast<int>(height), 1.2F);
        },
        [&] {
            return matches(to, [&](size_t i) {
                const size_t step_x[] = {0, 1, 0, width - 1, 0, 1, width - 1, width - 1, 1};
                const size_t step_y[] = {0, 0, 1, 0, height - 1, 1, 1, height - 1, height - 1};
                const size_t x = i % width;
                const size_t y = i % cells / width;
                double f[9];
                for (size_t k = 0; k < 9; ++k)
                    f[k] = from.first[k * cells + (y + height - step_y[k]) % height * width +
                                      (x + width - step_x[k]) % width];
                collide(f, 1.2);
                return f[i / cells];
            });
        });
}

/// Half a step of Maxwell's equations on Yee's grid: the electric field from the magnetic one.
__global__ void fdtd_electric(float* ex, float* ey, float* ez, const float* __restrict__ hx,
                              const float* __restrict__ hy, const float* __restrict__ hz, Cells box,
                              float step)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z;
    if (x == 0 || y == 0 || z == 0)
        return;
    const int row = box.x;
    const int plane = box.x * box.y;
    const int at = z * plane + y * row + x;
    ex[at] += step * ((hz[at] - hz[at - row]) - (hy[at] - hy[at - plane]));
    ey[at] += step * ((hx[at] - hx[at - plane]) - (hz[at] - hz[at - 1]));
    ez[at] += step * ((hy[at] - hy[at - 1]) - (hx[at] - hx[at - row]));
}

bool try_fdtd_electric(const char* name)
{
    const Cells box(log2n - 1);
    Array<float> ex(box.size(), noise(7, -1));
    Array<float> ey(box.size(), noise(8, -1));
    Array<float> ez(box.size(), noise(9, -1));
    const Array<float> hx(box.size(), noise(10, -1));
    const Array<float> hy(box.size(), noise(11, -1));
    const Array<float> hz(box.size(), noise(12, -1));
    return run(
        name,
        [&] {
            fdtd_electric<<<dim3(box.x / 32, box.y / 4, box.z), dim3(32, 4)>>>(
                ex.memory, ey.memory, ez.memory, hx.memory, hy.memory, hz.memory, box, 0.5F);
        },
        [&] {
            // A component is what it was and half a curl: the steps of two fields.
            const auto curls = [&](const Array<float>& e, const Array<float>& a, size_t a_step,
                                   const Array<float>& b, size_t b_step) {
                return matches(e, [&, a_step, b_step](size_t i) {
                    if (!Place(box, i).within(box, 1, 0))
                        return double{e.first[i]};
                    return e.first[i] + 0.5 * (double{a.first[i]} - a.first[i - a_step] -
                                               b.first[i] + b.first[i - b_step]);
                });
            };
            const size_t row = box.x;
            return curls(ex, hz, row, hy, box.plane()) && curls(ey, hx, box.plane(), hz, 1) &&
                   curls(ez, hy, 1, hx, row);
        },
        [&] {
            ex.reset();
            ey.reset();
            ez.reset();
        });
}

/// The flow of mass, momentum and energy through each edge of a mesh whose edges know their cells.
__global__ void euler_fluxes(const float4* __restrict__ state, const int2* __restrict__ cells,
                             const float2* __restrict__ normal, float4* flux, int edges)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= edges)
        return;
    const int2 of = cells[i];
    const float2 to = normal[i];
    const float4 a = state[of.x];
    const float4 b = state[of.y];
    const float pa = 0.4F * (a.w - 0.5F * (a.y * a.y + a.z * a.z) / a.x);
    const float pb = 0.4F * (b.w - 0.5F * (b.y * b.y + b.z * b.z) / b.x);
    const float va = (a.y * to.x + a.z * to.y) / a.x;
    const float vb = (b.y * to.x + b.z * to.y) / b.x;
    const float fast =
        fmaxf(fabsf(va) + sqrtf(1.4F * pa / a.x), fabsf(vb) + sqrtf(1.4F * pb / b.x));
    float4 f;
    f.x = 0.5F * (a.x * va + b.x * vb - fast * (b.x - a.x));
    f.y = 0.5F * (a.y * va + b.y * vb + (pa + pb) * to.x - fast * (b.y - a.y));
    f.z = 0.5F * (a.z * va + b.z * vb + (pa + pb) * to.y - fast * (b.z - a.z));
    f.w = 0.5F * ((a.w + pa) * va + (b.w + pb) * vb - fast * (b.w - a.w));
    flux[i] = f;
}

bool try_euler_fluxes(const char* name)
{
    const size_t cells = n / 16;
    const size_t edges = n / 8;
    // Density, momentum and energy: the energy is large enough for a positive pressure.
    const Array<float> state(4 * cells, [](size_t i) {
        return i % 4 == 0 ? noise(13, 1, 2)(i) : i % 4 == 3 ? noise(14, 4, 6)(i) : noise(15, -1)(i);
    });
    // Most cells were numbered along the mesh, as a mesh generator does, and some were not.
    const Array<int> of(2 * edges, [&](size_t i) {
        const size_t near_by = i / 4 + below(16, 2000)(i);
        return i % 2 == 0 || below(17, 8)(i) != 0 ? (i % 2 == 0 ? i / 4 : near_by % cells)
                                                  : below(18, cells)(i);
    });
    const Array<float> normal(2 * edges, [](size_t i) {
        const float angle = noise(19, 0, 6)(i / 2);
        return i % 2 == 0 ? std::cos(angle) : std::sin(angle);
    });
    const Array<float> flux(4 * edges);
    return run(
        name,
        [&] {
            euler_fluxes<<<blocks(edges, 256), 256>>>(
                reinterpret_cast<float4*>(state.memory), reinterpret_cast<int2*>(of.memory),
                reinterpret_cast<float2*>(normal.memory), reinterpret_cast<float4*>(flux.memory),
                static_cast<int>(edges));
        },
        [&] {
            return matches(flux, [&](size_t i) {
                const size_t edge = i / 4;
                const double nx = normal.first[2 * edge];
                const double ny = normal.first[2 * edge + 1];
                double total = 0;
                double fast = 0;
                double mine[2];
                for (size_t k = 0; k < 2; ++k) {
                    const float* s =
                        state.first.data() + 4 * static_cast<size_t>(of.first[2 * edge + k]);
                    const double v = (s[1] * nx + s[2] * ny) / s[0];
                    const double p =
                        0.4 * (s[3] - 0.5 * (double{s[1]} * s[1] + double{s[2]} * s[2]) / s[0]);
                    const double push[] = {0, p * nx, p * ny, p * v};
                    mine[k] = s[i % 4];
                    total += mine[k] * v + push[i % 4];
                    fast = std::max(fast, std::fabs(v) + std::sqrt(1.4 * p / s[0]));
                }
                return 0.5 * (total - fast * (mine[1] - mine[0]));
            });
        });
}

/// The operator of a spectral element method: a block an element of 8 x 8 x 8 points, a thread a
/// column, the differentiation matrix and a plane in shared memory.
__global__ void spectral_element(const float* field, const float* matrix, const float* metric,
                                 float* out)
{
    __shared__ float d[8][8];
    __shared__ float cube[8][8][8];
    const int i = threadIdx.x;
    const int j = threadIdx.y;
    const size_t base = size_t{blockIdx.x} * 512 + j * 8 + i;
    d[j][i] = matrix[j * 8 + i];
    float column[8];
#pragma unroll
    for (int k = 0; k < 8; ++k)
        cube[k][j][i] = column[k] = field[base + k * 64];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        float r = 0;
        float s = 0;
        float t = 0;
#pragma unroll
        for (int m = 0; m < 8; ++m) {
            r += d[i][m] * cube[k][j][m];
            s += d[j][m] * cube[k][m][i];
            t += d[k][m] * column[m];
        }
        out[base + k * 64] = metric[base + k * 64] * (r + s + t);
    }
}

bool try_spectral_element(const char* name)
{
    const Array<float> field(n, noise(20, -1));
    const Array<float> matrix(64, noise(21, -1));
    const Array<float> metric(n, noise(22));
    const Array<float> out(n);
    return run(
        name,
        [&] {
            spectral_element<<<static_cast<u>(n / 512), dim3(8, 8)>>>(field.memory, matrix.memory,
                                                                      metric.memory, out.memory);
        },
        [&] {
            return matches(out, [&](size_t at) {
                const float* f = field.first.data() + at / 512 * 512;
                const size_t i = at % 8;
                const size_t j = at / 8 % 8;
                const size_t k = at / 64 % 8;
                double sum = 0;
                for (size_t m = 0; m < 8; ++m)
                    sum += double{matrix.first[i * 8 + m]} * f[k * 64 + j * 8 + m] +
                           double{matrix.first[j * 8 + m]} * f[k * 64 + m * 8 + i] +
                           double{matrix.first[k * 8 + m]} * f[m * 64 + j * 8 + i];
                return metric.first[at] * sum;
            });
        });
}

/// The last step of Runge and Kutta's method: the slopes are put together.
__global__ void rk4_combine(float* y, const float* k1, const float* k2, const float* k3,
                            const float* k4, float sixth, size_t count)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] += sixth * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

bool try_rk4_combine(const char* name)
{
    const size_t count = 2 * n;
    Array<float> y(count, noise(23, -1));
    const Array<float> k1(count, noise(24, -1));
    const Array<float> k2(count, noise(25, -1));
    const Array<float> k3(count, noise(26, -1));
    const Array<float> k4(count, noise(27, -1));
    return run(
        name,
        [&] {
            rk4_combine<<<blocks(count, 256), 256>>>(y.memory, k1.memory, k2.memory, k3.memory,
                                                     k4.memory, 0.125F, count);
        },
        [&] {
            return matches(y, [&](size_t i) {
                return y.first[i] + 0.125 * (double{k1.first[i]} + 2 * double{k2.first[i]} +
                                             2 * double{k3.first[i]} + k4.first[i]);
            });
        },
        [&] { y.reset(); });
}

/// The seam of a torus: the rim of a grid gets what lies opposite, a thread a cell of the rim.
__global__ void periodic_edges(float* grid, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= width - 1)
        return;
    const size_t row = static_cast<size_t>(i) * width;
    const size_t last = static_cast<size_t>(width - 1) * width;
    grid[row] = grid[row + width - 2];
    grid[row + width - 1] = grid[row + 1];
    grid[i] = grid[last - width + i];
    grid[last + i] = grid[width + i];
}

bool try_periodic_edges(const char* name)
{
    const size_t width = side(2);
    Array<float> grid(width * width, noise(28));
    return run(
        name,
        [&] { periodic_edges<<<blocks(width, 128), 128>>>(grid.memory, static_cast<int>(width)); },
        [&] {
            const auto opposite = [&](size_t at) {
                return at == 0 ? width - 2 : at == width - 1 ? 1 : at;
            };
            return matches(grid, [&](size_t i) {
                const size_t x = i % width;
                const size_t y = i / width;
                const bool corner = x % (width - 1) == 0 && y % (width - 1) == 0;
                return grid.first[corner ? i : opposite(y) * width + opposite(x)];
            });
        },
        [&] { grid.reset(); });
}

// --- particles -----------------------------------------------------------------------------------

/// The charge of particles on the four corners of their cells, of particles that were sorted a few
/// steps ago.
__global__ void pic_deposit(const float* px, const float* py, const float* charge, float* density,
                            int width, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float x = px[i];
    const float y = py[i];
    const int cx = static_cast<int>(x);
    const int cy = static_cast<int>(y);
    const float fx = x - cx;
    const float fy = y - cy;
    const float q = charge[i];
    float* at = density + cy * width + cx;
    atomicAdd(at, q * (1 - fx) * (1 - fy));
    atomicAdd(at + 1, q * fx * (1 - fy));
    atomicAdd(at + width, q * (1 - fx) * fy);
    atomicAdd(at + width + 1, q * fx * fy);
}

/// Where particle `i` of `count` lies along the rows of a grid that it has not drifted far in.
float drifted(size_t i, size_t count, u seed, size_t width)
{
    const float room = static_cast<float>(width - 4);
    return 1 + noise(seed)(i) + room * (static_cast<float>(i) / static_cast<float>(count));
}

bool try_pic_deposit(const char* name)
{
    const size_t count = n / 4;
    const size_t width = side(4);
    const auto end = static_cast<float>(width - 2);
    const Array<float> px(count, noise(30, 0, end));
    const Array<float> py(count, [&](size_t i) { return drifted(i, count, 31, width); });
    const Array<float> charge(count, noise(32, 0.5F, 1.5F));
    Array<float> density(width * width);
    return run(
        name,
        [&] {
            pic_deposit<<<blocks(count, 256), 256>>>(px.memory, py.memory, charge.memory,
                                                     density.memory, static_cast<int>(width),
                                                     static_cast<int>(count));
        },
        [&] {
            std::vector<double> truth(density.size);
            for (size_t i = 0; i < count; ++i) {
                const auto x = static_cast<size_t>(px.first[i]);
                const auto y = static_cast<size_t>(py.first[i]);
                const double fx = px.first[i] - static_cast<float>(x);
                const double fy = py.first[i] - static_cast<float>(y);
                for (size_t k = 0; k < 4; ++k)
                    truth[(y + k / 2) * width + x + k % 2] +=
                        charge.first[i] * (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy);
            }
            return matches(density, truth);
        },
        [&] { density.clear(); });
}

/// Moves particles through an electric field between whose points it interpolates, and a magnetic
/// one that turns them.
__global__ void pic_push(float* px, float* py, float* vx, float* vy, const float2* field, int width,
                         float step, float turn, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float x = px[i];
    const float y = py[i];
    const int cx = static_cast<int>(x);
    const int cy = static_cast<int>(y);
    const float fx = x - cx;
    const float fy = y - cy;
    const float2* at = field + cy * width + cx;
    const float2 a = at[0];
    const float2 b = at[1];
    const float2 c = at[width];
    const float2 d = at[width + 1];
    const float ex = (1 - fy) * ((1 - fx) * a.x + fx * b.x) + fy * ((1 - fx) * c.x + fx * d.x);
    const float ey = (1 - fy) * ((1 - fx) * a.y + fx * b.y) + fy * ((1 - fx) * c.y + fx * d.y);
    const float ux = vx[i] + 0.5F * step * ex;
    const float uy = vy[i] + 0.5F * step * ey;
    const float s = 2 * turn / (1 + turn * turn);
    const float wx = ux + turn * uy;
    const float wy = uy - turn * ux;
    const float nx = ux + s * wy + 0.5F * step * ex;
    const float ny = uy - s * wx + 0.5F * step * ey;
    vx[i] = nx;
    vy[i] = ny;
    px[i] = x + step * nx;
    py[i] = y + step * ny;
}

bool try_pic_push(const char* name)
{
    const size_t count = n / 4;
    const size_t width = side(4);
    const auto end = static_cast<float>(width - 2);
    Array<float> px(count, noise(33, 0, end));
    Array<float> py(count, [&](size_t i) { return drifted(i, count, 34, width); });
    Array<float> vx(count, noise(35, -1));
    Array<float> vy(count, noise(36, -1));
    const Array<float> field(2 * width * width, noise(37, -1));
    const double step = 0.125;
    const double turn = 0.25;
    return run(
        name,
        [&] {
            pic_push<<<blocks(count, 256), 256>>>(
                px.memory, py.memory, vx.memory, vy.memory, reinterpret_cast<float2*>(field.memory),
                static_cast<int>(width), static_cast<float>(step), static_cast<float>(turn),
                static_cast<int>(count));
        },
        [&] {
            const auto speed = [&](size_t i, size_t which) {
                const auto x = static_cast<size_t>(px.first[i]);
                const auto y = static_cast<size_t>(py.first[i]);
                const double fx = px.first[i] - static_cast<float>(x);
                const double fy = py.first[i] - static_cast<float>(y);
                double v[] = {vx.first[i], vy.first[i]};
                double kick[2] = {};
                for (size_t k = 0; k < 4; ++k)
                    for (size_t c = 0; c < 2; ++c)
                        kick[c] += step / 2 * (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy) *
                                   field.first[2 * ((y + k / 2) * width + x + k % 2) + c];
                v[0] += kick[0];
                v[1] += kick[1];
                // Boris' rotation is by twice the angle whose tangent is `turn`.
                const double angle = 2 * std::atan(turn);
                return which == 0 ? std::cos(angle) * v[0] + std::sin(angle) * v[1] + kick[0]
                                  : std::cos(angle) * v[1] - std::sin(angle) * v[0] + kick[1];
            };
            return matches(vx, [&](size_t i) { return speed(i, 0); }) &&
                   matches(vy, [&](size_t i) { return speed(i, 1); }) &&
                   matches(px, [&](size_t i) { return px.first[i] + step * speed(i, 0); }) &&
                   matches(py, [&](size_t i) { return py.first[i] + step * speed(i, 1); });
        },
        [&] {
            px.reset();
            py.reset();
            vx.reset();
            vy.reset();
        });
}

/// The pull of all bodies on each: a block's bodies go through the others by tiles.
__global__ void nbody_tiles(const float4* body, float4* pull, int count, float soft)
{
    __shared__ float4 tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    const float4 me = body[i];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int start = 0; start < count; start += 64) {
        tile[threadIdx.x] = body[start + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; ++k) {
            const float4 other = tile[k];
            const float dx = other.x - me.x;
            const float dy = other.y - me.y;
            const float dz = other.z - me.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + soft);
            const float s = other.w * inverse * inverse * inverse;
            sum.x += s * dx;
            sum.y += s * dy;
            sum.z += s * dz;
        }
        __syncthreads();
    }
    pull[i] = sum;
}

bool try_nbody_tiles(const char* name)
{
    const size_t count = n / 2048;
    const Array<float> body(4 * count, noise(38));
    const Array<float> pull(4 * count);
    return run(
        name,
        [&] {
            nbody_tiles<<<static_cast<u>(count / 64), 64>>>(reinterpret_cast<float4*>(body.memory),
                                                            reinterpret_cast<float4*>(pull.memory),
                                                            static_cast<int>(count), 0.01F);
        },
        [&] {
            const std::vector<float> now = pull.now();
            for (size_t i = 0; i < count; i += 13) {
                double sum[3] = {};
                for (size_t k = 0; k < count; ++k) {
                    double d[3];
                    double square = 0.01F;
                    for (size_t c = 0; c < 3; ++c) {
                        d[c] = double{body.first[4 * k + c]} - body.first[4 * i + c];
                        square += d[c] * d[c];
                    }
                    for (size_t c = 0; c < 3; ++c)
                        sum[c] += body.first[4 * k + 3] * d[c] / (square * std::sqrt(square));
                }
                for (size_t c = 0; c < 3; ++c)
                    if (!near(now[4 * i + c], sum[c], 1e-3))
                        return false;
            }
            return true;
        });
}

/// Lennard-Jones forces of molecular dynamics: a thread an atom, whose neighbours stand in a list
/// that its warp reads together.
__global__ void lennard_jones(const float4* __restrict__ position, const int* __restrict__ list,
                              const int* __restrict__ length, float4* force, int atoms, float cut)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms)
        return;
    const float4 me = position[i];
    const int count = length[i];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < count; ++k) {
        const float4 other = position[list[k * atoms + i]];
        const float dx = me.x - other.x;
        const float dy = me.y - other.y;
        const float dz = me.z - other.z;
        const float square = dx * dx + dy * dy + dz * dz;
        if (square < cut) {
            const float r2 = 1 / square;
            const float r6 = r2 * r2 * r2;
            const float f = r2 * r6 * (48 * r6 - 24);
            sum.x += f * dx;
            sum.y += f * dy;
            sum.z += f * dz;
            sum.w += 4 * r6 * (r6 - 1);
        }
    }
    force[i] = sum;
}

bool try_lennard_jones(const char* name)
{
    const size_t atoms = n / 64;
    const size_t longest = 56;
    // A thick row of atoms: neighbours in the list are near each other along it.
    const Array<float> position(4 * atoms, [](size_t i) {
        const auto place = static_cast<float>(i / 4);
        return i % 4 == 0 ? place / 16 : i % 4 == 3 ? 0 : noise(39, 0, 4)(i);
    });
    const Array<int> length(atoms, [&](size_t i) { return 24 + below(40, longest - 23)(i); });
    const Array<int> list(longest * atoms, [&](size_t at) {
        const size_t i = at % atoms;
        const size_t k = at / atoms;
        return (i + 1 + 3 * k + below(41, 2)(at) + atoms - 84) % atoms;
    });
    const Array<float> force(4 * atoms);
    return run(
        name,
        [&] {
            lennard_jones<<<blocks(atoms, 128), 128>>>(
                reinterpret_cast<float4*>(position.memory), list.memory, length.memory,
                reinterpret_cast<float4*>(force.memory), static_cast<int>(atoms), 9);
        },
        [&] {
            const std::vector<float> now = force.now();
            return sampled(atoms, [&](size_t i) {
                double sum[4] = {};
                double size = 0;
                for (size_t k = 0; k < static_cast<size_t>(length.first[i]); ++k) {
                    const auto other = static_cast<size_t>(list.first[k * atoms + i]);
                    double d[3];
                    double square = 0;
                    for (size_t c = 0; c < 3; ++c) {
                        d[c] = double{position.first[4 * i + c]} - position.first[4 * other + c];
                        square += d[c] * d[c];
                    }
                    if (square >= 9)
                        continue;
                    const double r6 = std::pow(square, -3);
                    const double f = r6 * (48 * r6 - 24) / square;
                    size += std::fabs(f) * 9;
                    for (size_t c = 0; c < 3; ++c)
                        sum[c] += f * d[c];
                    sum[3] += 4 * r6 * (r6 - 1);
                }
                for (size_t c = 0; c < 4; ++c)
                    if (std::fabs(now[4 * i + c] - sum[c]) > 1e-4 * (1 + size))
                        return false;
                return true;
            });
        });
}

/// Cross sections of a reactor's materials for neutrons: each looks its energy up in the table of
/// each nuclide of its material by bisection and adds what stands there.
__global__ void cross_sections(const float* neutron, const byte* material, const int* start,
                               const byte* nuclides, const float* energy, const float4* section,
                               float4* out, int points, int neutrons)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= neutrons)
        return;
    const float e = neutron[i];
    const int of = material[i];
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = start[of]; k < start[of + 1]; ++k) {
        const int base = nuclides[k] * points;
        int low = 0;
        int high = points - 1;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            if (energy[base + middle] > e)
                high = middle;
            else
                low = middle;
        }
        const float below_e = energy[base + low];
        const float f = (e - below_e) / (energy[base + high] - below_e);
        const float4 a = section[base + low];
        const float4 b = section[base + high];
        sum.x += a.x + f * (b.x - a.x);
        sum.y += a.y + f * (b.y - a.y);
        sum.z += a.z + f * (b.z - a.z);
        sum.w += a.w + f * (b.w - a.w);
    }
    out[i] = sum;
}

bool try_cross_sections(const char* name)
{
    const size_t points = n / 512;
    const size_t neutrons = n / 128;
    const Array<float> neutron(neutrons, noise(42, 0.05F, 0.95F));
    const Array<byte> material(neutrons, [](size_t i) { return std::min(11U, below(43, 24)(i)); });
    const std::vector<u> lists = list_starts(12, 44, 3, 16);
    const Array<int> start(13, [&](size_t i) { return lists[i]; });
    const Array<byte> nuclides(lists[12], below(45, 64));
    const Array<float> energy(64 * points, [&](size_t i) {
        return (static_cast<float>(i % points) + 0.9F * noise(46)(i)) / static_cast<float>(points);
    });
    const Array<float> section(256 * points, noise(47));
    const Array<float> out(4 * neutrons);
    return run(
        name,
        [&] {
            cross_sections<<<blocks(neutrons, 256), 256>>>(
                neutron.memory, material.memory, start.memory, nuclides.memory, energy.memory,
                reinterpret_cast<float4*>(section.memory), reinterpret_cast<float4*>(out.memory),
                static_cast<int>(points), static_cast<int>(neutrons));
        },
        [&] {
            return matches(
                out,
                [&](size_t i) {
                    const double e = neutron.first[i / 4];
                    const size_t of = material.first[i / 4];
                    double sum = 0;
                    for (size_t k = lists[of]; k < lists[of + 1]; ++k) {
                        const size_t base = nuclides.first[k] * points;
                        const auto begin = energy.first.begin() + static_cast<long>(base);
                        const auto above = std::upper_bound(
                            begin, begin + static_cast<long>(points), neutron.first[i / 4]);
                        const auto high = static_cast<size_t>(above - energy.first.begin());
                        const double a = section.first[4 * (high - 1) + i % 4];
                        const double b = section.first[4 * high + i % 4];
                        sum += a + (e - energy.first[high - 1]) /
                                       (double{energy.first[high]} - energy.first[high - 1]) *
                                       (b - a);
                    }
                    return sum;
                },
                5e-3);
        });
}

// --- matrices and transforms ---------------------------------------------------------------------

/// A sparse matrix times a vector: eight lanes a row of compressed rows.
__global__ void spmv_csr_eights(const int* start, const int* column, const float* value,
                                const float* x, float* y, int rows)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    const int lane = threadIdx.x % 8;
    float sum = 0;
    if (row < rows)
        for (int k = start[row] + lane; k < start[row + 1]; k += 8)
            sum += value[k] * x[column[k]];
    for (int o = 4; o > 0; o /= 2)
        sum += __shfl_down_sync(full, sum, o, 8);
    if (row < rows && lane == 0)
        y[row] = sum;
}

bool try_spmv_csr_eights(const char* name)
{
    const size_t rows = n / 16;
    const std::vector<u> lists = list_starts(rows, 50, 2, 30);
    const Array<int> start(rows + 1, [&](size_t i) { return lists[i]; });
    // Half of a row is near the diagonal, the others are anywhere.
    const Array<int> column(lists[rows], [&](size_t k) {
        const size_t near_by = k / 16 + below(51, 200)(k);
        return k % 2 == 0 ? near_by % rows : below(52, rows)(k);
    });
    const Array<float> value(lists[rows], noise(53, -1));
    const Array<float> x(rows, noise(54, -1));
    const Array<float> y(rows);
    return run(
        name,
        [&] {
            spmv_csr_eights<<<blocks(rows, 32), 256>>>(start.memory, column.memory, value.memory,
                                                       x.memory, y.memory, static_cast<int>(rows));
        },
        [&] {
            return matches(y, [&](size_t row) {
                double sum = 0;
                for (size_t k = lists[row]; k < lists[row + 1]; ++k)
                    sum += double{value.first[k]} * x.first[static_cast<size_t>(column.first[k])];
                return sum;
            });
        });
}

/// The same of doubles in columns of equal length, as ELLPACK keeps them: -1 where a row has no
/// more.
__global__ void spmv_ell(const int* column, const double* value, const double* __restrict__ x,
                         double* y, int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = 0; k < width; ++k) {
        const int c = column[k * rows + row];
        if (c >= 0)
            sum += value[k * rows + row] * x[c];
    }
    y[row] = sum;
}

bool try_spmv_ell(const char* name)
{
    const size_t rows = n / 16;
    const size_t width = 20;
    // The diagonals of a three-dimensional mesh, moved a little, and rows that end early.
    const Array<int> column(rows * width, [&](size_t at) {
        const size_t row = at % rows;
        const size_t k = at / rows;
        const size_t to = row + k * k * 37 + below(55, 4)(at);
        return k < 12 + below(56, 9)(row) ? static_cast<int>(to % rows) : -1;
    });
    const Array<double> value(rows * width, noise(57, -1));
    const Array<double> x(rows, noise(58, -1));
    const Array<double> y(rows);
    return run(
        name,
        [&] {
            spmv_ell<<<blocks(rows, 256), 256>>>(column.memory, value.memory, x.memory, y.memory,
                                                 static_cast<int>(rows), static_cast<int>(width));
        },
        [&] {
            return matches(y, [&](size_t row) {
                double sum = 0;
                for (size_t at = row; at < rows * width; at += rows)
                    if (column.first[at] >= 0)
                        sum += value.first[at] * x.first[static_cast<size_t>(column.first[at])];
                return sum;
            });
        });
}

/// Tridiagonal systems by Thomas' algorithm: a thread a system, whose neighbours are those of other
/// threads.
__global__ void thomas_batched(const float* low, const float* middle, float* high, float* right,
                               int systems, int length)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    float c = high[s] / middle[s];
    float d = right[s] / middle[s];
    high[s] = c;
    right[s] = d;
    for (int i = 1; i < length; ++i) {
        const int at = i * systems + s;
        const float a = low[at];
        const float scale = 1 / (middle[at] - a * c);
        c = high[at] * scale;
        d = (right[at] - a * d) * scale;
        high[at] = c;
        right[at] = d;
    }
    for (int i = length - 2; i >= 0; --i) {
        const int at = i * systems + s;
        d = right[at] - high[at] * d;
        right[at] = d;
    }
}

bool try_thomas_batched(const char* name)
{
    const size_t length = 128;
    const size_t systems = n / 256;
    const Array<float> low(systems * length, noise(59, -1));
    const Array<float> middle(systems * length, noise(60, 2.5F, 4));
    Array<float> high(systems * length, noise(61, -1));
    Array<float> right(systems * length, noise(62, -1));
    return run(
        name,
        [&] {
            thomas_batched<<<blocks(systems, 128), 128>>>(low.memory, middle.memory, high.memory,
                                                          right.memory, static_cast<int>(systems),
                                                          static_cast<int>(length));
        },
        [&] {
            const std::vector<float> x = right.now();
            return sampled(x.size(), [&](size_t at) {
                double sum = double{middle.first[at]} * x[at];
                if (at >= systems)
                    sum += double{low.first[at]} * x[at - systems];
                if (at + systems < x.size())
                    sum += double{high.first[at]} * x[at + systems];
                return near(sum, right.first[at], 1e-4);
            });
        },
        [&] {
            high.reset();
            right.reset();
        });
}

/// Few tridiagonal systems by parallel cyclic reduction: a block a system, a thread a row.
__global__ void cyclic_reduction(const float* low, const float* middle, const float* high,
                                 const float* right, float* x)
{
    __shared__ float a[512];
    __shared__ float b[512];
    __shared__ float c[512];
    __shared__ float d[512];
    const int i = threadIdx.x;
    const int at = blockIdx.x * 512 + i;
    a[i] = i == 0 ? 0 : low[at];
    b[i] = middle[at];
    c[i] = i == 511 ? 0 : high[at];
    d[i] = right[at];
    __syncthreads();
    for (int step = 1; step < 512; step *= 2) {
        const int up = max(i - step, 0);
        const int down = min(i + step, 511);
        const float k1 = i >= step ? a[i] / b[up] : 0;
        const float k2 = i + step < 512 ? c[i] / b[down] : 0;
        const float na = -k1 * a[up];
        const float nb = b[i] - k1 * c[up] - k2 * a[down];
        const float nc = -k2 * c[down];
        const float nd = d[i] - k1 * d[up] - k2 * d[down];
        __syncthreads();
        a[i] = na;
        b[i] = nb;
        c[i] = nc;
        d[i] = nd;
        __syncthreads();
    }
    x[at] = d[i] / b[i];
}

bool try_cyclic_reduction(const char* name)
{
    const size_t systems = n / 131072;
    const Array<float> low(systems * 512, noise(63, -1));
    const Array<float> middle(systems * 512, noise(64, 2.5F, 4));
    const Array<float> high(systems * 512, noise(65, -1));
    const Array<float> right(systems * 512, noise(66, -1));
    const Array<float> x(systems * 512);
    return run(
        name,
        [&] {
            cyclic_reduction<<<static_cast<u>(systems), 512>>>(low.memory, middle.memory,
                                                               high.memory, right.memory, x.memory);
        },
        [&] {
            const std::vector<float> now = x.now();
            return sampled(now.size(), [&](size_t at) {
                double sum = double{middle.first[at]} * now[at];
                if (at % 512 != 0)
                    sum += double{low.first[at]} * now[at - 1];
                if (at % 512 != 511)
                    sum += double{high.first[at]} * now[at + 1];
                return near(sum, right.first[at], 1e-4);
            });
        });
}

__device__ float2 times(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/// A pass of Stockham's Fourier transform with four arms, whose twiddle factors stand in a table.
__global__ void fft_radix4(const float2* from, float2* to, const float2* twiddle, u count, u done)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    const u k = i & (done - 1);
    const float2 a = from[i];
    const float2 b = times(from[i + count / 4], twiddle[k]);
    const float2 c = times(from[i + count / 2], twiddle[2 * k]);
    const float2 d = times(from[i + 3 * (count / 4)], twiddle[3 * k]);
    const float2 s = make_float2(a.x + c.x, a.y + c.y);
    const float2 t = make_float2(a.x - c.x, a.y - c.y);
    const float2 v = make_float2(b.x + d.x, b.y + d.y);
    const float2 w = make_float2(b.y - d.y, d.x - b.x);
    float2* out = to + ((i - k) * 4 + k);
    out[0] = make_float2(s.x + v.x, s.y + v.y);
    out[done] = make_float2(t.x + w.x, t.y + w.y);
    out[2 * done] = make_float2(s.x - v.x, s.y - v.y);
    out[3 * done] = make_float2(t.x - w.x, t.y - w.y);
}

bool try_fft_radix4(const char* name)
{
    const size_t count = n / 2;
    const size_t done = 256;
    const double around = 2 * 3.14159265358979;
    const Array<float> from(n, noise(67, -1));
    const Array<float> to(n);
    const Array<float> twiddle(6 * done, [&](size_t i) {
        const double angle = -around * static_cast<double>(i / 2) / (4 * done);
        return i % 2 == 0 ? std::cos(angle) : std::sin(angle);
    });
    return run(
        name,
        [&] {
            fft_radix4<<<blocks(count / 4, 128), 128>>>(
                reinterpret_cast<float2*>(from.memory), reinterpret_cast<float2*>(to.memory),
                reinterpret_cast<float2*>(twiddle.memory), static_cast<u>(count), done);
        },
        [&] {
            return matches(to, [&](size_t at) {
                const size_t group = at / 2 / (4 * done);
                const size_t frequency = at / 2 % (4 * done);
                const size_t i = group * done + frequency % done;
                double sum = 0;
                for (size_t arm = 0; arm < 4; ++arm) {
                    const double angle =
                        -around * static_cast<double>(arm * frequency) / (4 * done);
                    const double re = from.first[2 * (i + arm * (count / 4))];
                    const double im = from.first[2 * (i + arm * (count / 4)) + 1];
                    sum += at % 2 == 0 ? re * std::cos(angle) - im * std::sin(angle)
                                       : re * std::sin(angle) + im * std::cos(angle);
                }
                return sum;
            });
        });
}

/// The end of a scalar product: one block adds what the blocks before it have left.
__global__ void finish_dot(const double* part, double* out, int count)
{
    __shared__ double kept[32];
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        sum += part[i];
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_down_sync(full, sum, o);
    if (threadIdx.x % 32 == 0)
        kept[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = kept[threadIdx.x];
        for (int o = 16; o > 0; o /= 2)
            sum += __shfl_down_sync(full, sum, o);
        if (threadIdx.x == 0)
            *out = sqrt(sum);
    }
}

bool try_finish_dot(const char* name)
{
    const size_t count = n / 2048;
    const Array<double> part(count, noise(68));
    const Array<double> out(1);
    return run(
        name, [&] { finish_dot<<<1, 1024>>>(part.memory, out.memory, static_cast<int>(count)); },
        [&] {
            const double sum = std::accumulate(part.first.begin(), part.first.end(), 0.0);
            return matches(out, std::vector<double>{std::sqrt(sum)});
        });
}

// --- graphs, tables and texts --------------------------------------------------------------------

/// A level of a breadth-first search: each node of the frontier marks those that nobody has seen.
__global__ void bfs_step(const int* start, const int* edge, const int* level, byte* next, int depth,
                         int nodes)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || level[node] != depth)
        return;
    for (int k = start[node]; k < start[node + 1]; ++k) {
        const int to = edge[k];
        if (level[to] < 0)
            next[to] = 1;
    }
}

bool try_bfs_step(const char* name)
{
    const size_t nodes = n / 8;
    const std::vector<u> lists = list_starts(nodes, 70, 1, 23);
    const Array<int> start(nodes + 1, [&](size_t i) { return lists[i]; });
    const Array<int> edge(lists[nodes], below(71, nodes));
    // A fifth of the nodes are the frontier, two fifths have been seen before.
    const Array<int> level(nodes, [](size_t i) {
        const u which = below(72, 5)(i);
        return which == 0 ? 4 : which < 3 ? static_cast<int>(which) : -1;
    });
    Array<byte> next(nodes);
    return run(
        name,
        [&] {
            bfs_step<<<blocks(nodes, 256), 256>>>(start.memory, edge.memory, level.memory,
                                                  next.memory, 4, static_cast<int>(nodes));
        },
        [&] {
            std::vector<byte> truth(nodes);
            for (size_t node = 0; node < nodes; ++node)
                for (size_t k = lists[node]; k < lists[node + 1] && level.first[node] == 4; ++k) {
                    const auto to = static_cast<size_t>(edge.first[k]);
                    if (level.first[to] < 0)
                        truth[to] = 1;
                }
            return next.now() == truth;
        },
        [&] { next.clear(); });
}

/// How many edges end at each node of a graph in which few nodes have most of them.
__global__ void degree_count(const uint2* edges, u* degree, size_t count)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const uint2 edge = edges[i];
    atomicAdd(degree + edge.x, 1);
    atomicAdd(degree + edge.y, 1);
}

bool try_degree_count(const char* name)
{
    const size_t nodes = n / 16;
    const size_t edges = n / 4;
    const Array<u> end(2 * edges, [&](size_t i) {
        const float x = noise(73)(i);
        return std::min(nodes - 1, static_cast<size_t>(x * x * x * static_cast<float>(nodes)));
    });
    Array<u> degree(nodes);
    return run(
        name,
        [&] {
            degree_count<<<blocks(edges, 256), 256>>>(reinterpret_cast<uint2*>(end.memory),
                                                      degree.memory, edges);
        },
        [&] {
            std::vector<u> truth(nodes);
            for (const u to : end.first)
                ++truth[to];
            return degree.now() == truth;
        },
        [&] { degree.clear(); });
}

/// Looks keys up in a table with open addressing: the value, or all ones where there is none.
__global__ void hash_probe(const u* keys, const uint2* table, u* value, u mask, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const u key = keys[i];
    u found = full;
    for (u at = mix(key) & mask;; at = (at + 1) & mask) {
        const uint2 slot = table[at];
        if (slot.x == key)
            found = slot.y;
        if (slot.x == key || slot.x == full)
            break;
    }
    value[i] = found;
}

bool try_hash_probe(const char* name)
{
    const size_t slots = n / 2;
    const size_t count = n / 4;
    const u stored = static_cast<u>(slots / 5 * 3);
    std::vector<u> filled(2 * slots, full);
    for (u key = 0; key < stored; ++key) {
        size_t at = mix(key) & (slots - 1);
        while (filled[2 * at] != full)
            at = (at + 1) & (slots - 1);
        filled[2 * at] = key;
        filled[2 * at + 1] = key * 3;
    }
    const Array<u> table(std::move(filled));
    const Array<u> keys(count, below(74, size_t{stored} * 4 / 3)); // a quarter is not there
    const Array<u> value(count);
    return run(
        name,
        [&] {
            hash_probe<<<blocks(count, 256), 256>>>(
                keys.memory, reinterpret_cast<uint2*>(table.memory), value.memory,
                static_cast<u>(slots - 1), static_cast<int>(count));
        },
        [&] {
            const std::vector<u> now = value.now();
            return sampled(count, [&](size_t i) {
                const u key = keys.first[i];
                return now[i] == (key < stored ? key * 3 : full);
            });
        });
}

/// Mean and variance of each segment of a long array: a warp a segment, which it reads twice.
__global__ void segment_variance(const float* x, const u* start, float2* out, int segments)
{
    const int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (segment >= segments)
        return;
    const u lane = threadIdx.x % 32;
    const u first = start[segment];
    const u last = start[segment + 1];
    float sum = 0;
    for (u k = first + lane; k < last; k += 32)
        sum += x[k];
    for (int o = 16; o > 0; o /= 2)
        sum += __shfl_xor_sync(full, sum, o);
    const float mean = sum / static_cast<float>(last - first);
    float squares = 0;
    for (u k = first + lane; k < last; k += 32)
        squares += (x[k] - mean) * (x[k] - mean);
    for (int o = 16; o > 0; o /= 2)
        squares += __shfl_xor_sync(full, squares, o);
    if (lane == 0)
        out[segment] = make_float2(mean, squares / static_cast<float>(last - first));
}

bool try_segment_variance(const char* name)
{
    const size_t segments = n / 128;
    const std::vector<u> lists = list_starts(segments, 75, 1, 300);
    const Array<u> start(lists);
    const Array<float> x(lists[segments], noise(76, -1, 3));
    const Array<float> out(2 * segments);
    return run(
        name,
        [&] {
            segment_variance<<<blocks(segments, 8), 256>>>(x.memory, start.memory,
                                                           reinterpret_cast<float2*>(out.memory),
                                                           static_cast<int>(segments));
        },
        [&] {
            return matches(out, [&](size_t i) {
                double sum = 0;
                double squares = 0;
                for (size_t k = lists[i / 2]; k < lists[i / 2 + 1]; ++k) {
                    sum += x.first[k];
                    squares += double{x.first[k]} * x.first[k];
                }
                const double count = lists[i / 2 + 1] - lists[i / 2];
                return i % 2 == 0 ? sum / count : squares / count - sum * sum / count / count;
            });
        });
}

/// A pass of a bitonic sort whose partners are far apart.
__global__ void bitonic_pass(u* keys, u distance, u run_length)
{
    const u thread = blockIdx.x * blockDim.x + threadIdx.x;
    const u i = 2 * thread - (thread & (distance - 1));
    const u a = keys[i];
    const u b = keys[i + distance];
    const bool upwards = (i & run_length) == 0;
    if ((a > b) == upwards) {
        keys[i] = b;
        keys[i + distance] = a;
    }
}

bool try_bitonic_pass(const char* name)
{
    const size_t count = 2 * n;
    const u distance = 1 << 12;
    const u run_length = 1 << 15;
    Array<u> keys(count, [](size_t i) { return mix(static_cast<u>(i) + 77); });
    return run(
        name,
        [&] { bitonic_pass<<<blocks(count / 2, 512), 512>>>(keys.memory, distance, run_length); },
        [&] {
            const std::vector<u> now = keys.now();
            return sampled(count, [&](size_t i) {
                const u a = keys.first[i];
                const u b = keys.first[i ^ distance];
                const bool lower = ((i & distance) == 0) == ((i & run_length) == 0);
                return now[i] == (lower ? std::min(a, b) : std::max(a, b));
            });
        },
        [&] { keys.reset(); });
}

/// Where eight letters occur in a text: a thread tries sixteen places.
__global__ void find_pattern(const uint4* text, u low, u high, u* places, u* count, u words)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words)
        return;
    const uint4 here = text[i];
    const uint4 there = text[i + 1];
    const u w[6] = {here.x, here.y, here.z, here.w, there.x, there.y};
#pragma unroll
    for (u k = 0; k < 16; ++k) {
        const u shift = k % 4 * 8;
        const u first = __funnelshift_r(w[k / 4], w[k / 4 + 1], shift);
        const u second =
            shift == 0 ? w[k / 4 + 1] : __funnelshift_r(w[k / 4 + 1], w[(k + 8) / 4], shift);
        if (first == low && second == high)
            places[atomicAdd(count, 1)] = i * 16 + k;
    }
}

bool try_find_pattern(const char* name)
{
    const size_t words = n / 4;
    const char pattern[] = "GATTACCA";
    // Behind the text is a word of zeros, in which nothing begins.
    const Array<byte> text(16 * (words + 1), [&](size_t i) {
        return i < 16 * words ? "ACGT"[below(78, 4)(i)] : '\0';
    });
    u letters[2];
    std::memcpy(letters, pattern, 8);
    const Array<u> places(16 * words);
    Array<u> count(1);
    return run(
        name,
        [&] {
            find_pattern<<<blocks(words, 256), 256>>>(reinterpret_cast<uint4*>(text.memory),
                                                      letters[0], letters[1], places.memory,
                                                      count.memory, static_cast<u>(words));
        },
        [&] {
            std::vector<u> found = places.now();
            found.resize(count.now()[0]);
            std::sort(found.begin(), found.end());
            std::vector<u> truth;
            for (auto at = text.first.begin();; ++at) {
                at = std::search(at, text.first.end(), pattern, pattern + 8);
                if (at == text.first.end())
                    break;
                truth.push_back(static_cast<u>(at - text.first.begin()));
            }
            return !truth.empty() && found == truth;
        },
        [&] { count.clear(); });
}

// --- pictures and networks -----------------------------------------------------------------------

__device__ void order(byte& a, byte& b)
{
    const byte low = min(a, b);
    b = max(a, b);
    a = low;
}

/// The median of each point of a grey picture and its eight neighbours, by nineteen comparisons.
__global__ void median3x3(const byte* picture, byte* out, int width)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    byte p[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const int cx = min(max(x + k % 3 - 1, 0), width - 1);
        const int cy = min(max(y + k / 3 - 1, 0), width - 1);
        p[k] = picture[static_cast<size_t>(cy) * width + cx];
    }
    order(p[1], p[2]);
    order(p[4], p[5]);
    order(p[7], p[8]);
    order(p[0], p[1]);
    order(p[3], p[4]);
    order(p[6], p[7]);
    order(p[1], p[2]);
    order(p[4], p[5]);
    order(p[7], p[8]);
    order(p[0], p[3]);
    order(p[5], p[8]);
    order(p[4], p[7]);
    order(p[3], p[6]);
    order(p[1], p[4]);
    order(p[2], p[5]);
    order(p[4], p[7]);
    order(p[4], p[2]);
    order(p[6], p[4]);
    order(p[4], p[2]);
    out[static_cast<size_t>(y) * width + x] = p[4];
}

bool try_median3x3(const char* name)
{
    const int width = side(0);
    const size_t points = static_cast<size_t>(width) * width;
    const Array<byte> picture(points, below(80, 256));
    const Array<byte> out(points);
    return run(
        name,
        [&] {
            median3x3<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(picture.memory, out.memory,
                                                                    width);
        },
        [&] {
            const std::vector<byte> now = out.now();
            return sampled(points, [&](size_t i) {
                byte p[9];
                for (int k = 0; k < 9; ++k) {
                    const int x = std::clamp(static_cast<int>(i % width) + k % 3 - 1, 0, width - 1);
                    const int y = std::clamp(static_cast<int>(i / width) + k / 3 - 1, 0, width - 1);
                    p[k] = picture.first[static_cast<size_t>(y) * width + x];
                }
                std::nth_element(p, p + 4, p + 9);
                return now[i] == p[4];
            });
        });
}

/// Thirty-two numbers of four bits, which lie from a least one upwards.
struct Nibbles
{
    half scale;
    half least;
    byte pair[16];
};

/// Makes halves of them: a thread a byte, whose two numbers lie half a block apart.
__global__ void dequantise_nibbles(const Nibbles* from, half* to, size_t count)
{
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= count * 16)
        return;
    const Nibbles& block = from[i / 16];
    const u k = i % 16;
    const float scale = __half2float(block.scale);
    const float least = __half2float(block.least);
    const u pair = block.pair[k];
    to[i / 16 * 32 + k] = __float2half(least + scale * static_cast<float>(pair % 16));
    to[i / 16 * 32 + k + 16] = __float2half(least + scale * static_cast<float>(pair / 16));
}

bool try_dequantise_nibbles(const char* name)
{
    const size_t count = n / 16;
    const Array<Nibbles> from(count, [](size_t i) {
        Nibbles block;
        block.scale = __float2half(noise(81, 0.01F, 0.1F)(i));
        block.least = __float2half(noise(82, -1, 0)(i));
        for (size_t k = 0; k < 16; ++k)
            block.pair[k] = static_cast<byte>(below(83, 256)(16 * i + k));
        return block;
    });
    const Array<half> to(32 * count);
    return run(
        name,
        [&] {
            dequantise_nibbles<<<blocks(16 * count, 256), 256>>>(from.memory, to.memory, count);
        },
        [&] {
            const std::vector<half> now = to.now();
            return sampled(now.size(), [&](size_t i) {
                const Nibbles& block = from.first[i / 32];
                const int pair = block.pair[i % 16];
                const int number = i % 32 < 16 ? pair % 16 : pair / 16;
                return near(__half2float(now[i]),
                            __half2float(block.least) + __half2float(block.scale) * number, 1e-3);
            });
        });
}

/// The weighted sum of the rows of a table that each bag names: a warp a bag, four halves a lane.
__global__ void embedding_bag(const uint2* table, const int* row, const float* weight,
                              const u* start, float4* out, int bags)
{
    const int bag = blockIdx.x * blockDim.y + threadIdx.y;
    if (bag >= bags)
        return;
    const u lane = threadIdx.x;
    float4 sum = make_float4(0, 0, 0, 0);
    for (u k = start[bag]; k < start[bag + 1]; ++k) {
        const uint2 bits = table[static_cast<size_t>(row[k]) * 32 + lane];
        const float2 a = __half22float2(*reinterpret_cast<const half2*>(&bits.x));
        const float2 b = __half22float2(*reinterpret_cast<const half2*>(&bits.y));
        const float w = weight[k];
        sum.x += w * a.x;
        sum.y += w * a.y;
        sum.z += w * b.x;
        sum.w += w * b.y;
    }
    out[bag * 32 + lane] = sum;
}

bool try_embedding_bag(const char* name)
{
    const size_t rows = n / 32;
    const size_t bags = n / 1024;
    const std::vector<u> lists = list_starts(bags, 84, 0, 40);
    const Array<u> start(lists);
    const Array<half> table(rows * 128, noise(85, -1));
    const Array<int> row(lists[bags], below(86, rows));
    const Array<float> weight(lists[bags], noise(87));
    const Array<float> out(bags * 128);
    return run(
        name,
        [&] {
            embedding_bag<<<blocks(bags, 4), dim3(32, 4)>>>(
                reinterpret_cast<uint2*>(table.memory), row.memory, weight.memory, start.memory,
                reinterpret_cast<float4*>(out.memory), static_cast<int>(bags));
        },
        [&] {
            return matches(out, [&](size_t i) {
                double sum = 0;
                for (size_t k = lists[i / 128]; k < lists[i / 128 + 1]; ++k) {
                    const auto at = static_cast<size_t>(row.first[k]) * 128 + i % 128;
                    sum += double{weight.first[k]} * __half2float(table.first[at]);
                }
                return sum;
            });
        });
}

/// The gradients of the norm by the root of the mean square, of rows of 2048: a block takes every
/// so many rows, and adds to the gradient of the weights at the end.
__global__ void rms_norm_backward(const float* x, const float* dy, const float* weight, float* dx,
                                  float* dweight, int rows)
{
    __shared__ float2 kept[8];
    float share[8] = {};
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const size_t base = static_cast<size_t>(row) * 2048 + threadIdx.x;
        float a[8];
        float g[8];
        float squares = 0;
        float dots = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            a[k] = x[base + k * 256];
            g[k] = dy[base + k * 256];
            squares += a[k] * a[k];
            dots += a[k] * g[k] * weight[threadIdx.x + k * 256];
        }
        for (int o = 16; o > 0; o /= 2) {
            squares += __shfl_xor_sync(full, squares, o);
            dots += __shfl_xor_sync(full, dots, o);
        }
        __syncthreads();
        if (threadIdx.x % 32 == 0)
            kept[threadIdx.x / 32] = make_float2(squares, dots);
        __syncthreads();
        squares = dots = 0;
        for (const float2& part : kept) {
            squares += part.x;
            dots += part.y;
        }
        const float scale = rsqrtf(squares / 2048 + 1e-5F);
        const float back = dots * scale * scale * scale / 2048;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            dx[base + k * 256] = g[k] * weight[threadIdx.x + k * 256] * scale - a[k] * back;
            share[k] += g[k] * a[k] * scale;
        }
    }
#pragma unroll
    for (int k = 0; k < 8; ++k)
        atomicAdd(dweight + threadIdx.x + k * 256, share[k]);
}

bool try_rms_norm_backward(const char* name)
{
    const size_t rows = n / 2048;
    const Array<float> x(n, noise(88, -1));
    const Array<float> dy(n, noise(89, -1));
    const Array<float> weight(2048, noise(90, 0.5F, 1.5F));
    const Array<float> dx(n);
    Array<float> dweight(2048);
    return run(
        name,
        [&] {
            rms_norm_backward<<<264, 256>>>(x.memory, dy.memory, weight.memory, dx.memory,
                                            dweight.memory, static_cast<int>(rows));
        },
        [&] {
            std::vector<double> scale(rows);
            std::vector<double> back(rows);
            std::vector<double> truth(2048);
            for (size_t row = 0; row < rows; ++row) {
                double squares = 0;
                double dots = 0;
                for (size_t k = 0; k < 2048; ++k) {
                    const double a = x.first[row * 2048 + k];
                    squares += a * a;
                    dots += a * dy.first[row * 2048 + k] * weight.first[k];
                }
                scale[row] = 1 / std::sqrt(squares / 2048 + 1e-5);
                back[row] = dots * std::pow(scale[row], 3) / 2048;
                for (size_t k = 0; k < 2048; ++k)
                    truth[k] +=
                        double{dy.first[row * 2048 + k]} * x.first[row * 2048 + k] * scale[row];
            }
            return matches(dweight, truth) && matches(dx, [&](size_t i) {
                       return double{dy.first[i]} * weight.first[i % 2048] * scale[i / 2048] -
                              x.first[i] * back[i / 2048];
                   });
        },
        [&] { dweight.clear(); });
}

/// The eight largest of each row of 2048, in order: a block keeps the row and finds one at a time.
__global__ void top_k_rows(const float* rows, int* index)
{
    __shared__ float row[2048];
    __shared__ float best[4];
    __shared__ int where[4];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 2048; i += 128)
        row[i] = rows[size_t{blockIdx.x} * 2048 + i];
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
        float top = -INFINITY;
        int at = 0;
        for (int i = threadIdx.x; i < 2048; i += 128)
            if (row[i] > top) {
                top = row[i];
                at = i;
            }
        for (int o = 16; o > 0; o /= 2) {
            const float other = __shfl_xor_sync(full, top, o);
            const int there = __shfl_xor_sync(full, at, o);
            if (other > top || (other == top && there < at)) {
                top = other;
                at = there;
            }
        }
        if (lane == 0) {
            best[warp] = top;
            where[warp] = at;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (int w = 1; w < 4; ++w)
                if (best[w] > top || (best[w] == top && where[w] < at)) {
                    top = best[w];
                    at = where[w];
                }
            index[blockIdx.x * 8 + k] = at;
            row[at] = -INFINITY;
        }
        __syncthreads();
    }
}

bool try_top_k_rows(const char* name)
{
    const size_t rows = n / 2048;
    const Array<float> values(n, noise(91));
    const Array<int> index(8 * rows);
    return run(
        name, [&] { top_k_rows<<<static_cast<u>(rows), 128>>>(values.memory, index.memory); },
        [&] {
            const std::vector<int> now = index.now();
            for (size_t row = 0; row < rows; row += rows / 64) {
                const float* v = values.first.data() + row * 2048;
                std::vector<int> sorted(2048);
                std::iota(sorted.begin(), sorted.end(), 0);
                std::stable_sort(sorted.begin(), sorted.end(),
                                 [&](int a, int b) { return v[a] > v[b]; });
                for (size_t k = 0; k < 8; ++k)
                    if (now[row * 8 + k] != sorted[k])
                        return false;
            }
            return true;
        });
}

const Kernel kernels[] = {
    {"wave3d_order8", try_wave3d_order8},
    {"jacobi_9point", try_jacobi_9point},
    {"lbm_d2q9", try_lbm_d2q9},
    {"fdtd_electric", try_fdtd_electric},
    {"euler_fluxes", try_euler_fluxes},
    {"spectral_element", try_spectral_element},
    {"rk4_combine", try_rk4_combine},
    {"periodic_edges", try_periodic_edges},
    {"pic_deposit", try_pic_deposit},
    {"pic_push", try_pic_push},
    {"nbody_tiles", try_nbody_tiles},
    {"lennard_jones", try_lennard_jones},
    {"cross_sections", try_cross_sections},
    {"spmv_csr_eights", try_spmv_csr_eights},
    {"spmv_ell", try_spmv_ell},
    {"thomas_batched", try_thomas_batched},
    {"cyclic_reduction", try_cyclic_reduction},
    {"fft_radix4", try_fft_radix4},
    {"bfs_step", try_bfs_step},
    {"degree_count", try_degree_count},
    {"hash_probe", try_hash_probe},
    {"segment_variance", try_segment_variance},
    {"bitonic_pass", try_bitonic_pass},
    {"find_pattern", try_find_pattern},
    {"median3x3", try_median3x3},
    {"dequantise_nibbles", try_dequantise_nibbles},
    {"embedding_bag", try_embedding_bag},
    {"rms_norm_backward", try_rms_norm_backward},
    {"top_k_rows", try_top_k_rows},
    {"finish_dot", try_finish_dot},
};

int main(int argc, char** argv)
{
    return run_kernels(argc, argv, kernels);
}
