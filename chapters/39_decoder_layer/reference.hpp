/// \file
/// Every step of a decoder layer in double, with the error bounds of a kernel's results.
#pragma once

#include "common/problem/parallel.hpp"
#include "common/problem/tolerance.hpp"
#include "layer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Most additions that a term of a sum goes through in a variant.
struct Additions
{
    std::uint64_t row = 0;   ///< dot products of matrix rows and vectors
    std::uint64_t score = 0; ///< dot products of queries and keys
    std::uint64_t token = 0; ///< sums over the tokens, of weights times values
};

/// The reference of every step of a layer, computed from the device's inputs of that step. The
/// tolerance of a result is the error bound of its additions (common::sum_error_bound()), of exp
/// and rsqrt, and of the rounding to bf16.
struct LayerReference
{
    using Words = std::vector<std::uint16_t>; ///< bfloat16, as bits
    using Tolerances = std::vector<common::Tolerance>;
    static constexpr unsigned head = DecoderLayer::head;
    static constexpr double u = 0x1p-24; ///< relative error of a rounding to float, at most

    DecoderLayer sizes; ///< the layer; its pointers are device memory
    Words qkv_weights, out_weights, gate_up_weights, down_weights, norm1, norm2;
    std::vector<float> token;     ///< [hidden]: the input of the layer
    std::vector<float2> rotation; ///< cosine and sine of the new token's angles
    Additions additions;          ///< additions of the variant that is verified

    /// Relative error of exp(-x) on the device: 2 + 1.173 x units in the last place (CUDA C++
    /// Programming Guide, __expf).
    static double lost_by_exp(double x) { return (4 + 2.4 * x) * u; }

    /// RMSNorm of x with the weights g, as bf16. Before the rounding, a result's relative error is
    /// at most `lost`; the tolerance is the change of the rounded result by that error.
    [[nodiscard]] Tolerances norm(const std::vector<float>& x, const Words& g) const
    {
        double squares = 0;
        for (const float v : x)
            squares += double{v} * v;
        const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5F);
        // By 256 threads or more, 32 warps at most; and 9 for the root (2 units in the last place),
        // the sum under it, and products.
        const double lost = common::sum_error_bound(x.size() / 256 + 40 + 9);
        Tolerances y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double v = x[i] * scale * common::from_bf16(g[i]);
            y[i].value = common::from_bf16(common::to_bf16(v));
            y[i].error =
                std::max(std::abs(common::from_bf16(common::to_bf16(v * (1 + lost))) - y[i].value),
                         std::abs(common::from_bf16(common::to_bf16(v * (1 - lost))) - y[i].value));
        }
        return y;
    }

    /// Dot products of bf16 rows and a vector: products are exact in float, so that the error is
    /// that of the additions.
    [[nodiscard]] Tolerances times(const Words& weights, const Tolerances& x) const
    {
        const std::size_t columns = x.size();
        const double bound = common::sum_error_bound(additions.row);
        Tolerances sums(weights.size() / columns);
        common::parallel_for(sums.size(), std::max<std::size_t>(1, 65536 / columns),
                             [&](std::size_t begin, std::size_t end) {
                                 for (std::size_t r = begin; r < end; ++r) {
                                     const std::uint16_t* row = weights.data() + r * columns;
                                     double magnitude = 0;
                                     for (std::size_t k = 0; k < columns; ++k) {
                                         const double w = common::from_bf16(row[k]);
                                         sums[r].value += w * x[k].value;
                                         sums[r].error += std::abs(w) * x[k].error;
                                         magnitude += std::abs(w * x[k].value);
                                     }
                                     sums[r].error += bound * (magnitude + sums[r].error);
                                 }
                             });
        return sums;
    }

    /// `base` + weights x.
    [[nodiscard]] Tolerances plus(const std::vector<float>& base, const Words& weights,
                                  const Words& x) const
    {
        Tolerances exact(x.size());
        for (std::size_t k = 0; k < x.size(); ++k)
            exact[k].value = common::from_bf16(x[k]);
        Tolerances y = times(weights, exact);
        for (std::size_t r = 0; r < y.size(); ++r) {
            y[r].value += base[r];
            y[r].error += 2 * u * (std::abs(y[r].value) + y[r].error);
        }
        return y;
    }

    /// Computes the queries, and the keys and values of the new token; rotates queries and keys.
    void find_qkv(Tolerances& q, Tolerances& keys, Tolerances& values) const
    {
        const Tolerances sums = times(qkv_weights, norm(token, norm1));
        for (std::size_t r = 0; r < sums.size(); ++r) {
            const std::size_t head_index = r / head;
            if (head_index >= sizes.heads + sizes.kv_heads) {
                values.push_back(sums[r]);
                continue;
            }
            const std::size_t d = r % head;
            const bool lower = d < head / 2;
            const float2 cos_sin = rotation[d % (head / 2)];
            const common::Tolerance& a = sums[r];
            const common::Tolerance& b = sums[lower ? r + head / 2 : r - head / 2];
            const double scale = head_index < sizes.heads ? 1 / std::sqrt(double{head}) : 1;
            const double c = cos_sin.x * scale;
            const double s = cos_sin.y * scale;
            const double magnitude = std::abs(c * a.value) + std::abs(s * b.value);
            const double off = std::abs(c) * a.error + std::abs(s) * b.error;
            // two products, their sum, and twice a division by a root
            const common::Tolerance x{a.value * c + (lower ? -1 : 1) * b.value * s,
                                      off + 5 * u * (magnitude + off)};
            (head_index < sizes.heads ? q : keys).push_back(x);
        }
    }

    /// A score is off by its additions; a weight, exp(score - largest), by that, by three exp() and
    /// their differences, because parts are scaled twice; the result by its weights, above and
    /// below.
    [[nodiscard]] Tolerances attend(const Words& q, const Words& keys, const Words& values) const
    {
        Tolerances attended(q.size());
        const std::size_t tokens = sizes.tokens;
        common::parallel_for(sizes.heads, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t h = begin; h < end; ++h) {
                const std::size_t cache = h / sizes.heads_per_kv() * tokens * head;
                std::vector<double> weights(tokens);
                std::vector<double> lost(tokens);
                for (std::size_t t = 0; t < tokens; ++t) {
                    for (std::size_t d = 0; d < head; ++d) {
                        const double product = common::from_bf16(q[h * head + d]) *
                                               common::from_bf16(keys[cache + t * head + d]);
                        weights[t] += product;
                        lost[t] += std::abs(product);
                    }
                }
                const double largest = *std::max_element(weights.begin(), weights.end());
                const double score_bound = common::sum_error_bound(additions.score);
                const double sum_bound = common::sum_error_bound(additions.token + 5);
                double sum = 0;
                double sum_lost = 0;
                for (std::size_t t = 0; t < tokens; ++t) {
                    const double below = largest - weights[t];
                    lost[t] = lost[t] * score_bound + lost_by_exp(below) + 2 * lost_by_exp(0) +
                              below * u + sum_bound;
                    weights[t] = std::exp(-below);
                    sum += weights[t];
                    sum_lost += weights[t] * lost[t];
                }
                for (std::size_t d = 0; d < head; ++d) {
                    common::Tolerance& x = attended[h * head + d];
                    for (std::size_t t = 0; t < tokens; ++t) {
                        const double term =
                            weights[t] * common::from_bf16(values[cache + t * head + d]);
                        x.value += term;
                        x.error += std::abs(term) * lost[t];
                    }
                    x.value /= sum;
                    // products of what is lost are below a hundredth of it
                    x.error = 1.01 * (x.error / sum + std::abs(x.value) * (sum_lost / sum + u));
                }
            }
        });
        return attended;
    }

    /// SiLU of the gate, times up.
    [[nodiscard]] Tolerances activate(const std::vector<float>& x1) const
    {
        const Tolerances sums = times(gate_up_weights, norm(x1, norm2));
        Tolerances y(sizes.intermediate);
        for (std::size_t i = 0; i < y.size(); ++i) {
            const common::Tolerance& gate = sums[i];
            const common::Tolerance& up = sums[sizes.intermediate + i];
            const double silu = gate.value / (1 + std::exp(-gate.value));
            // Its slope is below 1.1; exp, a sum, a quotient and a product lose the rest.
            const double off =
                1.1 * gate.error + std::abs(silu) * (lost_by_exp(std::abs(gate.value)) + 3 * u);
            y[i].value = silu * up.value;
            y[i].error = off * (std::abs(up.value) + up.error) + std::abs(silu) * up.error;
        }
        return y;
    }
};
