#include "common/problem/decoder_layer.hpp"

#include "common/device/check.hpp"
#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace common {

namespace {

constexpr unsigned head = DecoderLayer::head;
constexpr double u = 0x1p-24; // what a rounding of a float loses at most, relatively

// How much of exp(-x) the device may lose, relatively: 2 + 1.173 x units in the last place (CUDA
// C++ Programming Guide, __expf).
double lost_by_exp(double x)
{
    return (4 + 2.4 * x) * u;
}

template<class T>
std::vector<T> fetch(const T* from, std::size_t count)
{
    std::vector<T> values(count);
    CHECK_CUDA(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

std::vector<std::uint16_t> fetch(const bf16* from, std::size_t count)
{
    std::vector<std::uint16_t> values(count);
    CHECK_CUDA(cudaMemcpy(values.data(), from, count * 2, cudaMemcpyDeviceToHost));
    return values;
}

// Compares an output with what is right of it.
Verdict compare(const char* name, Array& array, const std::vector<Tolerance>& right)
{
    Verdict verdict = array.verify([&](std::size_t i) { return right[i]; });
    verdict.output = name;
    return verdict;
}

} // namespace

DecoderProblem::DecoderProblem(const Setting& setting, std::size_t n)
    : Problem("decoder layer"), layer{}, n_(n), seed_(setting.seed)
{
    layer.hidden = head;
    while (layer.hidden < DecoderLayer::widest &&
           13 * std::size_t{4} * layer.hidden * layer.hidden <= n)
        layer.hidden *= 2;
    layer.intermediate = layer.hidden / 2 * 7;
    layer.heads = layer.hidden / head;
    layer.kv_heads = std::max(1U, layer.heads / 4);
    layer.tokens = layer.hidden - static_cast<unsigned>(n % 16);
}

std::uint64_t DecoderProblem::bytes() const
{
    const std::uint64_t hidden = layer.hidden;
    const std::uint64_t rows = (layer.heads + 2 * layer.kv_heads) * head;
    const std::uint64_t weights = (rows + hidden + 3 * std::uint64_t{layer.intermediate}) * hidden;
    const std::uint64_t cache = 2 * std::uint64_t{layer.kv_heads} * layer.tokens * head;
    return (weights + cache + 2 * hidden) * sizeof(bf16) + 2 * hidden * sizeof(float);
}

void DecoderProblem::make_input(Words& host, Buffer<std::uint16_t>& device, std::size_t count,
                                double centre, double spread)
{
    device = Buffer<std::uint16_t>(count);
    const std::uint64_t key = random_bits::input_key(seed_, inputs_++);
    if (skips_initialization())
        return;
    host.resize(count);
    parallel_for(count, 1 << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint64_t bits = random_bits::bits_at(key, i);
            const double from_minus_one = static_cast<double>(bits >> 11U) * 0x1p-52 - 1;
            host[i] = to_bf16(centre + spread * from_minus_one);
        }
    });
    CHECK_CUDA(cudaMemcpy(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice));
}

void DecoderProblem::make_arrays()
{
    const std::size_t hidden = layer.hidden;
    const std::size_t wide = layer.intermediate;
    const std::size_t rows = std::size_t{layer.heads + 2 * layer.kv_heads} * head;
    const std::size_t cache = std::size_t{layer.kv_heads} * layer.tokens * head;
    // So spread, sums of products with a normed vector have a variance of 1.
    const double spread = std::sqrt(3.0 / static_cast<double>(hidden));
    inputs_on_device_.resize(6);
    const auto make = [&](Words& host, const bf16*& to, std::size_t count, double centre,
                          double width) {
        auto& device = inputs_on_device_[inputs_];
        make_input(host, device, count, centre, width);
        to = reinterpret_cast<const bf16*>(device.data());
    };
    make(qkv_weights_, layer.qkv_weights, rows * hidden, 0, spread);
    make(out_weights_, layer.out_weights, hidden * hidden, 0, spread);
    make(gate_up_weights_, layer.gate_up_weights, 2 * wide * hidden, 0, spread);
    make(down_weights_, layer.down_weights, hidden * wide, 0, spread);
    make(norm1_, layer.norm1, hidden, 1, 0.5);
    make(norm2_, layer.norm2, hidden, 1, 0.5);
    Buffer<std::uint16_t> unused;
    make_input(old_keys_, unused, cache, 0, std::sqrt(3.0));
    make_input(old_values_, unused, cache, 0, std::sqrt(3.0));

    const auto output = [](Array& array, auto*& to, Element element, std::size_t count) {
        array = Array(element, count);
        to = static_cast<std::remove_reference_t<decltype(to)>>(array.data());
    };
    output(q_, layer.q, Element::bf16, hidden);
    output(keys_, layer.keys, Element::bf16, cache);
    output(values_, layer.values, Element::bf16, cache);
    output(attended_, layer.attended, Element::bf16, hidden);
    output(x1_, layer.x1, Element::f32, hidden);
    output(activated_, layer.activated, Element::bf16, wide);
    output(y_, layer.y, Element::f32, hidden);

    normed_ = Buffer<std::uint16_t>(hidden);
    sums_ = Buffer<float>(2 * wide);
    partials_ = Buffer<float>(std::size_t{layer.heads} * layer.parts() * (head + 4));
    counters_ = Buffer<unsigned>(layer.kv_heads);
    x_on_device_ = Buffer<float>(hidden);
    rotation_on_device_ = Buffer<float2>(head / 2);
    layer.normed = reinterpret_cast<bf16*>(normed_.data());
    layer.sums = sums_.data();
    layer.partials = partials_.data();
    layer.counters = counters_.data();
    layer.x = x_on_device_.data();
    layer.rotation = rotation_on_device_.data();
    if (skips_initialization())
        return;
    CHECK_CUDA(cudaMemset(counters_.data(), 0, counters_.bytes()));
    const std::uint64_t key = random_bits::input_key(seed_, inputs_++);
    for (std::size_t i = 0; i < hidden; ++i) {
        const std::uint64_t bits = random_bits::bits_at(key, i);
        x_.push_back(static_cast<float>(bits >> 40U) * 0x1p-22F - 2);
    }
    for (unsigned d = 0; d < head / 2; ++d) { // as Llama 3 has it: a base of 500 000
        const double angle = (layer.tokens - 1) * std::pow(500'000.0, -2.0 * d / head);
        rotation_.push_back(
            {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
    }
    CHECK_CUDA(
        cudaMemcpy(x_on_device_.data(), x_.data(), x_on_device_.bytes(), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(rotation_on_device_.data(), rotation_.data(), rotation_on_device_.bytes(),
                          cudaMemcpyHostToDevice));
}

void DecoderProblem::poison()
{
    for (Array* array : {&q_, &keys_, &values_, &attended_, &x1_, &activated_, &y_})
        array->poison();
    if (skips_initialization())
        return;
    const auto fill = [](auto& buffer) {
        CHECK_CUDA(cudaMemset(buffer.data(), poison_byte, buffer.bytes()));
    };
    fill(normed_);
    fill(sums_);
    fill(partials_);
    // The cache as it was: all tokens but the last.
    const std::size_t row = head * sizeof(bf16);
    const std::size_t pitch = layer.tokens * row;
    if (layer.tokens > 1) {
        CHECK_CUDA(cudaMemcpy2D(layer.keys, pitch, old_keys_.data(), pitch, pitch - row,
                                layer.kv_heads, cudaMemcpyHostToDevice));
        CHECK_CUDA(cudaMemcpy2D(layer.values, pitch, old_values_.data(), pitch, pitch - row,
                                layer.kv_heads, cudaMemcpyHostToDevice));
    }
    CHECK_CUDA(cudaDeviceSynchronize());
}

// x over the root of its mean square, times g, as bfloat16. The square's sum, its root and two
// products are off by `lost` at most: the error is what that changes where it changes the rounding.
std::vector<Tolerance> DecoderProblem::norm(const std::vector<float>& x, const Words& g) const
{
    double squares = 0;
    for (const float v : x)
        squares += double{v} * v;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5F);
    // By 256 threads or more, 32 warps at most; and 9 for the root (2 units in the last place), the
    // sum under it, and products.
    const double lost = sum_error_bound(x.size() / 256 + 40 + 9);
    std::vector<Tolerance> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double v = x[i] * scale * from_bf16(g[i]);
        y[i].value = from_bf16(to_bf16(v));
        y[i].error = std::max(std::abs(from_bf16(to_bf16(v * (1 + lost))) - y[i].value),
                              std::abs(from_bf16(to_bf16(v * (1 - lost))) - y[i].value));
    }
    return y;
}

// Sums of products of bfloat16, which a float holds exactly: what is lost is the additions'.
std::vector<Tolerance> DecoderProblem::times(const Words& weights,
                                             const std::vector<Tolerance>& x) const
{
    const std::size_t columns = x.size();
    const double bound = sum_error_bound(additions_.row);
    std::vector<Tolerance> sums(weights.size() / columns);
    parallel_for(sums.size(), std::max<std::size_t>(1, 65536 / columns),
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t r = begin; r < end; ++r) {
                         const std::uint16_t* row = weights.data() + r * columns;
                         double magnitude = 0;
                         for (std::size_t k = 0; k < columns; ++k) {
                             const double w = from_bf16(row[k]);
                             sums[r].value += w * x[k].value;
                             sums[r].error += std::abs(w) * x[k].error;
                             magnitude += std::abs(w * x[k].value);
                         }
                         sums[r].error += bound * (magnitude + sums[r].error);
                     }
                 });
    return sums;
}

std::vector<Tolerance> DecoderProblem::plus(const std::vector<float>& base, const Words& weights,
                                            const Words& x) const
{
    std::vector<Tolerance> exact(x.size());
    for (std::size_t k = 0; k < x.size(); ++k)
        exact[k].value = from_bf16(x[k]);
    std::vector<Tolerance> y = times(weights, exact);
    for (std::size_t r = 0; r < y.size(); ++r) {
        y[r].value += base[r];
        y[r].error += 2 * u * (std::abs(y[r].value) + y[r].error);
    }
    return y;
}

void DecoderProblem::find_qkv(std::vector<Tolerance>& q, std::vector<Tolerance>& keys,
                              std::vector<Tolerance>& values) const
{
    const std::vector<Tolerance> sums = times(qkv_weights_, norm(x_, norm1_));
    for (std::size_t r = 0; r < sums.size(); ++r) {
        const std::size_t of = r / head;
        if (of >= layer.heads + layer.kv_heads) {
            values.push_back(sums[r]);
            continue;
        }
        const std::size_t d = r % head;
        const bool lower = d < head / 2;
        const float2 turn = rotation_[d % (head / 2)];
        const Tolerance& a = sums[r];
        const Tolerance& b = sums[lower ? r + head / 2 : r - head / 2];
        const double scale = of < layer.heads ? 1 / std::sqrt(double{head}) : 1;
        const double c = turn.x * scale;
        const double s = turn.y * scale;
        const double magnitude = std::abs(c * a.value) + std::abs(s * b.value);
        const double off = std::abs(c) * a.error + std::abs(s) * b.error;
        // two products, their sum, and twice a division by a root
        const Tolerance x{a.value * c + (lower ? -1 : 1) * b.value * s,
                          off + 5 * u * (magnitude + off)};
        (of < layer.heads ? q : keys).push_back(x);
    }
}

// A score is off by its additions; a weight, exp(score - largest), by that, by three exp() and
// their differences, because parts are scaled twice; the result by its weights, above and below.
std::vector<Tolerance> DecoderProblem::attend(const Words& q, const Words& keys,
                                              const Words& values) const
{
    std::vector<Tolerance> attended(q.size());
    const std::size_t tokens = layer.tokens;
    parallel_for(layer.heads, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t h = begin; h < end; ++h) {
            const std::size_t cache = h / layer.group() * tokens * head;
            std::vector<double> weights(tokens);
            std::vector<double> lost(tokens);
            for (std::size_t t = 0; t < tokens; ++t) {
                for (std::size_t d = 0; d < head; ++d) {
                    const double product =
                        from_bf16(q[h * head + d]) * from_bf16(keys[cache + t * head + d]);
                    weights[t] += product;
                    lost[t] += std::abs(product);
                }
            }
            const double largest = *std::max_element(weights.begin(), weights.end());
            const double score_bound = sum_error_bound(additions_.score);
            const double sum_bound = sum_error_bound(additions_.token + 5);
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
                Tolerance& x = attended[h * head + d];
                for (std::size_t t = 0; t < tokens; ++t) {
                    const double term = weights[t] * from_bf16(values[cache + t * head + d]);
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

std::vector<Tolerance> DecoderProblem::activate(const std::vector<float>& x1) const
{
    const std::vector<Tolerance> sums = times(gate_up_weights_, norm(x1, norm2_));
    std::vector<Tolerance> y(layer.intermediate);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const Tolerance& gate = sums[i];
        const Tolerance& up = sums[layer.intermediate + i];
        const double silu = gate.value / (1 + std::exp(-gate.value));
        // Its slope is below 1.1; exp, a sum, a quotient and a product lose the rest.
        const double off =
            1.1 * gate.error + std::abs(silu) * (lost_by_exp(std::abs(gate.value)) + 3 * u);
        y[i].value = silu * up.value;
        y[i].error = off * (std::abs(up.value) + up.error) + std::abs(silu) * up.error;
    }
    return y;
}

Verdict DecoderProblem::verify()
{
    const std::size_t hidden = layer.hidden;
    const std::size_t cache = old_keys_.size();
    const Words q = fetch(layer.q, hidden);
    const Words keys = fetch(layer.keys, cache);
    const Words values = fetch(layer.values, cache);
    const Words attended = fetch(layer.attended, hidden);
    const Words activated = fetch(layer.activated, layer.intermediate);
    const std::vector<float> x1 = fetch<float>(layer.x1, hidden);

    std::vector<Tolerance> right_q;
    std::vector<Tolerance> new_keys;
    std::vector<Tolerance> new_values;
    find_qkv(right_q, new_keys, new_values);
    const auto in_cache = [&](const Words& old, const std::vector<Tolerance>& last) {
        std::vector<Tolerance> all(cache); // no error, but for the last token
        for (std::size_t k = 0; k < cache; ++k)
            all[k].value = from_bf16(old[k]);
        for (std::size_t k = 0; k < last.size(); ++k)
            all[((k / head + 1) * layer.tokens - 1) * head + k % head] = last[k];
        return all;
    };
    const std::function<Verdict()> steps[] = {
        [&] { return compare("Queries: ", q_, right_q); },
        [&] { return compare("Keys: ", keys_, in_cache(old_keys_, new_keys)); },
        [&] { return compare("Values: ", values_, in_cache(old_values_, new_values)); },
        [&] { return compare("Attention: ", attended_, attend(q, keys, values)); },
        [&] { return compare("Behind attention: ", x1_, plus(x_, out_weights_, attended)); },
        [&] { return compare("Gate and up: ", activated_, activate(x1)); },
        [&] { return compare("", y_, plus(x1, down_weights_, activated)); },
    };
    Verdict verdict;
    for (const auto& step : steps) { // what follows from a wrong one says nothing
        verdict = step();
        if (!verdict.ok)
            break;
    }
    return verdict;
}

} // namespace common
