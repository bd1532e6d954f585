// A plain CUDA C++ kernel behind `blockfp8 conform`: a thread for each element, exact
// dots, the scales of A and B one after the other. Put your own in its place.
//
//     nvcc -O2 -o cuda_kernel cuda_kernel.cu
//     blockfp8 conform --recipe exact/act-then-weight/k128/bf16 -- ./cuda_kernel
//
// Without a GPU, g++ -O2 -x c++ -o cuda_kernel cuda_kernel.cu makes the same on the CPU.
#include <cmath>

#include "blockfp8.hpp"

#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

BOTH inline double e4m3(uint8_t c) {
    const int exponent = c >> 3 & 15, fraction = c & 7;
    if ((c & 0x7F) == 0x7F) return NAN;
    const double magnitude = exponent == 0 ? ldexp(double(fraction), -9) : ldexp(8.0 + fraction, exponent - 10);
    return c >> 7 ? -magnitude : magnitude;
}

BOTH inline uint16_t to_bf16(float x) {
    union { float f; uint32_t u; } bits = {x};
    if (x != x) return 0x7FC0;
    return uint16_t((bits.u + 0x7FFF + (bits.u >> 16 & 1)) >> 16);
}

struct Shape {
    size_t m, n, k, bn, bk, blocks;
};

// C[row, col].
BOTH inline uint16_t element(Shape s, const uint8_t* a, const float* as, const uint8_t* b, const float* bs, size_t row, size_t col) {
    float acc = 0;
    for (size_t block = 0; block < s.blocks; block++) {
        double dot = 0;  // which holds the sum exactly
        for (size_t i = block * s.bk; i < s.k && i < (block + 1) * s.bk; i++) dot += e4m3(a[row * s.k + i]) * e4m3(b[col * s.k + i]);
        const float t = float(dot) * as[row * s.blocks + block];
        acc = fmaf(t, bs[col / s.bn * s.blocks + block], acc);
    }
    return to_bf16(acc);
}

#ifdef __CUDACC__

__global__ void kernel(Shape s, const uint8_t* a, const float* as, const uint8_t* b, const float* bs, uint16_t* c) {
    const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (i < s.m * s.n) c[i] = element(s, a, as, b, bs, i / s.n, i % s.n);
}

static void must(cudaError_t e) {
    if (e != cudaSuccess) throw std::runtime_error(cudaGetErrorString(e));
}

// A copy on the device, as long as it lives.
template <class T>
struct OnDevice {
    T* p = nullptr;
    explicit OnDevice(size_t n) { must(cudaMalloc(&p, n * sizeof(T) + 1)); }
    explicit OnDevice(const std::vector<T>& v) : OnDevice(v.size()) { must(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); }
    ~OnDevice() { cudaFree(p); }
};

static std::vector<uint16_t> multiply(const blockfp8::Problem& p, Shape s) {
    OnDevice<uint8_t> a(p.a), b(p.b);
    OnDevice<float> as(p.a_scale.values), bs(p.b_scale.values);
    std::vector<uint16_t> c(p.m * p.n);
    OnDevice<uint16_t> out(c.size());
    kernel<<<unsigned((c.size() + 127) / 128), 128>>>(s, a.p, as.p, b.p, bs.p, out.p);
    must(cudaGetLastError());
    must(cudaMemcpy(c.data(), out.p, c.size() * sizeof c[0], cudaMemcpyDeviceToHost));
    return c;
}

#else

static std::vector<uint16_t> multiply(const blockfp8::Problem& p, Shape s) {
    std::vector<uint16_t> c(p.m * p.n);
    for (size_t i = 0; i < c.size(); i++) c[i] = element(s, p.a.data(), p.a_scale.values.data(), p.b.data(), p.b_scale.values.data(), i / s.n, i % s.n);
    return c;
}

#endif

int main(int argc, char** argv) {
    return blockfp8::serve(argc, argv, [](const blockfp8::Problem& p) {
        if (p.output != "bf16") throw std::runtime_error("this kernel writes bf16, not " + p.output);
        p.answer(multiply(p, Shape{p.m, p.n, p.k, p.bn, p.bk, p.blocks()}));
    });
}
