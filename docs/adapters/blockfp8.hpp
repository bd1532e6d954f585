// The kernel's side of `blockfp8 conform`: problems in, answers out.
//
//     int main(int argc, char** argv) {
//         return blockfp8::serve(argc, argv, [](const blockfp8::Problem& p) {
//             p.answer(my_kernel(p));   // m * n words: the bits of bf16 or fp16, or floats
//         });
//     }
//
// Copy this file beside yours. C++11 and nothing else.
#pragma once

#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace blockfp8 {

inline std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path);
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

// The data of a .npy file of version 1, and whether its elements are single bytes.
struct Array {
    std::string data;
    bool bytes;

    explicit Array(const std::string& path) : data(read_file(path)), bytes(false) {
        if (data.size() < 10 || data.compare(0, 6, "\x93NUMPY") != 0) throw std::runtime_error(path + " is no .npy file");
        const size_t header = 10 + uint8_t(data[8]) + 256 * uint8_t(data[9]);
        bytes = data.substr(0, header).find("u1") != std::string::npos;
        data.erase(0, header);
    }
};

// Scales as float32, and as E8M0 codes where that is how they are stored.
struct Scales {
    std::vector<float> values;
    std::vector<uint8_t> codes;  // empty for fp32

    explicit Scales(const Array& stored) {
        if (stored.bytes) codes.assign(stored.data.begin(), stored.data.end());
        values.resize(stored.bytes ? codes.size() : stored.data.size() / sizeof(float));
        if (!stored.bytes && !values.empty()) std::memcpy(values.data(), stored.data.data(), stored.data.size());
        for (size_t i = 0; i < codes.size(); i++) {
            uint32_t bits = uint32_t(codes[i]) << 23;
            if (codes[i] == 0x00) bits = 0x00400000;  // 2^-127 is a subnormal float
            if (codes[i] == 0xFF) bits = 0x7FC00000;  // NaN
            std::memcpy(&values[i], &bits, sizeof bits);
        }
    }
};

// One multiplication C[m, n] = A[m, k] * B[n, k]^T, everything by row.
struct Problem {
    std::string folder, json;
    std::string output;       // bf16, fp16 or float32
    size_t m, n, k;
    size_t bn, bk;            // rows and columns of B that share a scale
    std::vector<uint8_t> a, b;  // E4M3 codes
    Scales a_scale, b_scale;  // [m, ceil(k/bk)] and [ceil(n/bn), ceil(k/bk)]

    explicit Problem(const std::string& where)
        : folder(where), json(read_file(where + "/problem.json")),
          output(word("output")), m(number("m")), n(number("n")), k(number("k")), bn(number("b_block", 0)), bk(number("b_block", 1)),
          a(codes("a")), b(codes("b")), a_scale(Array(where + "/as.npy")), b_scale(Array(where + "/bs.npy")) {}

    void answer(const std::vector<uint16_t>& bits) const { write("<u2", bits.data(), bits.size(), sizeof bits[0]); }
    void answer(const std::vector<float>& values) const { write("<f4", values.data(), values.size(), sizeof values[0]); }

    size_t blocks() const { return (k + bk - 1) / bk; }

private:
    // Where what follows a key begins: problem.json holds nothing that needs more of a
    // parser.
    size_t after(const std::string& key) const {
        const size_t at = json.find('"' + key + '"');
        if (at == std::string::npos) throw std::runtime_error("problem.json lacks " + key);
        return at + key.size() + 2;
    }

    std::string word(const std::string& key) const {
        const size_t begin = json.find('"', after(key)) + 1;
        return json.substr(begin, json.find('"', begin) - begin);
    }

    // The i-th number after a key.
    size_t number(const std::string& key, int i = 0) const {
        size_t at = after(key), value = 0;
        for (; i >= 0; i--) {
            at = json.find_first_of("0123456789", at);
            if (at == std::string::npos) throw std::runtime_error("problem.json lacks a number of " + key);
            size_t digits = 0;
            value = std::stoul(json.substr(at), &digits);
            at += digits;
        }
        return value;
    }

    std::vector<uint8_t> codes(const std::string& name) const {
        const Array stored(folder + "/" + name + ".npy");
        return std::vector<uint8_t>(stored.data.begin(), stored.data.end());
    }

    void write(const char* type, const void* data, size_t elements, size_t size) const {
        if (elements != m * n) throw std::runtime_error("an answer of " + std::to_string(elements) + " elements, not m * n");
        std::ostringstream text;
        text << "{'descr': '" << type << "', 'fortran_order': False, 'shape': (" << m << ", " << n << "), }";
        std::string header = text.str();
        header.append(63 - (10 + header.size()) % 64, ' ').append("\n");
        std::ofstream out(folder + "/c.npy", std::ios::binary);
        out.write("\x93NUMPY\x01\x00", 8).put(char(header.size() % 256)).put(char(header.size() / 256));
        out << header;
        out.write(static_cast<const char*>(data), std::streamsize(elements * size));
        if (!out.flush()) throw std::runtime_error("cannot write " + folder + "/c.npy");
    }
};

// Has multiply answer the problems that conform puts, or those in folders named as
// arguments. Returns the exit status.
template <class Multiply>
int serve(int argc, char** argv, Multiply multiply) {
    try {
        for (int i = 1; i < argc; i++) multiply(Problem(argv[i]));
        for (std::string folder; argc == 1 && std::getline(std::cin, folder);) {
            multiply(Problem(folder));
            std::cout << "done " << folder << std::endl;  // endl flushes
        }
        return 0;
    } catch (const std::exception& e) {
        std::cerr << e.what() << std::endl;
        return 1;
    }
}

}  // namespace blockfp8
