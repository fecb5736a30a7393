/// \file
/// One decoder layer of a language model, for one token: its arrays, and their verification.
#pragma once

#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/write_elements.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

/// A layer with about n weights: `hidden` is the largest power of two from 128 to 4096 with
/// 13 hidden^2 <= n, or 128, and there are hidden - n % 16 tokens. 2^28 weights are a layer of a
/// model with 8 billion: hidden 4096, intermediate 14336, 32 query heads, 8 kv heads, 4096 tokens.
class DecoderProblem : public common::Problem
{
  public:
    /// A layer with about n weights.
    DecoderProblem(const common::Setting& setting, std::size_t n)
        : Problem("decoder layer"), layer{}, n_(n), seed_(setting.seed)
    {
        layer.hidden = head;
        while (layer.hidden < DecoderLayer::max_hidden &&
               13 * std::size_t{4} * layer.hidden * layer.hidden <= n)
            layer.hidden *= 2;
        layer.intermediate = layer.hidden / 2 * 7;
        layer.heads = layer.hidden / head;
        layer.kv_heads = std::max(1U, layer.heads / 4);
        layer.tokens = layer.hidden - static_cast<unsigned>(n % 16);
        reference_.sizes = layer;
    }

    /// Sets the additions of the variants that follow.
    void expect(const Additions& additions) { reference_.additions = additions; }

    void poison() override
    {
        for (common::Array* array : {&q_, &keys_, &values_, &attended_, &x1_, &activated_, &y_})
            array->poison();
        if (common::skips_initialization())
            return;
        const auto fill = [](auto& buffer) {
            CHECK_CUDA(cudaMemset(buffer.data(), common::poison_byte, buffer.bytes()));
        };
        fill(normed_);
        fill(sums_);
        fill(partials_);
        // Restores the cache: all tokens but the last.
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
    /// Compares the output of every step with the reference, computed from the device's output of
    /// the step before it.
    [[nodiscard]] common::Verdict verify() override
    {
        const std::size_t hidden = layer.hidden;
        const std::size_t cache = old_keys_.size();
        const Words q = fetch<std::uint16_t>(layer.q, hidden);
        const Words keys = fetch<std::uint16_t>(layer.keys, cache);
        const Words values = fetch<std::uint16_t>(layer.values, cache);
        const Words attended = fetch<std::uint16_t>(layer.attended, hidden);
        const Words activated = fetch<std::uint16_t>(layer.activated, layer.intermediate);
        const std::vector<float> x1 = fetch<float>(layer.x1, hidden);

        LayerReference::Tolerances right_q;
        LayerReference::Tolerances new_keys;
        LayerReference::Tolerances new_values;
        reference_.find_qkv(right_q, new_keys, new_values);
        const auto in_cache = [&](const Words& old, const LayerReference::Tolerances& last) {
            LayerReference::Tolerances all(cache); // no error, but for the last token
            for (std::size_t k = 0; k < cache; ++k)
                all[k].value = common::from_bf16(old[k]);
            for (std::size_t k = 0; k < last.size(); ++k)
                all[((k / head + 1) * layer.tokens - 1) * head + k % head] = last[k];
            return all;
        };
        const std::function<common::Verdict()> steps[] = {
            [&] { return compare("Queries: ", q_, right_q); },
            [&] { return compare("Keys: ", keys_, in_cache(old_keys_, new_keys)); },
            [&] { return compare("Values: ", values_, in_cache(old_values_, new_values)); },
            [&] { return compare("Attention: ", attended_, reference_.attend(q, keys, values)); },
            [&] {
                return compare("Behind attention: ", x1_,
                               reference_.plus(reference_.token, reference_.out_weights, attended));
            },
            [&] { return compare("Gate and up: ", activated_, reference_.activate(x1)); },
            [&] {
                return compare("", y_, reference_.plus(x1, reference_.down_weights, activated));
            },
        };
        common::Verdict verdict;
        for (const auto& step : steps) { // after a wrong step, the next ones say nothing
            verdict = step();
            if (!verdict.ok)
                break;
        }
        return verdict;
    }
    /// Bytes of the weights, the KV cache, and the input and output of the layer.
    [[nodiscard]] std::uint64_t bytes() const override
    {
        const std::uint64_t hidden = layer.hidden;
        const std::uint64_t rows = (layer.heads + 2 * layer.kv_heads) * head;
        const std::uint64_t weights =
            (rows + hidden + 3 * std::uint64_t{layer.intermediate}) * hidden;
        const std::uint64_t cache = 2 * std::uint64_t{layer.kv_heads} * layer.tokens * head;
        return (weights + cache + 2 * hidden) * sizeof(bf16) + 2 * hidden * sizeof(float);
    }
    [[nodiscard]] std::size_t size() const override { return n_; }

    DecoderLayer layer; ///< sizes, and pointers when there is memory

  private:
    using Words = LayerReference::Words;
    static constexpr unsigned head = DecoderLayer::head;

    static common::Verdict compare(const char* name, common::Array& array,
                                   const LayerReference::Tolerances& right)
    {
        common::Verdict verdict = array.verify([&](std::size_t i) { return right[i]; });
        verdict.output = name;
        return verdict;
    }
    template<class T, class Device>
    static std::vector<T> fetch(const Device* from, std::size_t count)
    {
        std::vector<T> values(count);
        CHECK_CUDA(cudaMemcpy(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
    /// `count` bfloat16 from centre - spread to centre + spread, the same on the device.
    void make_input(Words& host, common::Buffer<std::uint16_t>& device, std::size_t count,
                    double centre, double spread)
    {
        device = common::Buffer<std::uint16_t>(count);
        const std::uint64_t key = common::random_bits::input_key(seed_, inputs_++);
        if (common::skips_initialization())
            return;
        host.resize(count);
        common::parallel_for(count, 1 << 16, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint64_t bits = common::random_bits::bits_at(key, i);
                const double from_minus_one = static_cast<double>(bits >> 11U) * 0x1p-52 - 1;
                host[i] = common::to_bf16(centre + spread * from_minus_one);
            }
        });
        CHECK_CUDA(cudaMemcpy(device.data(), host.data(), device.bytes(), cudaMemcpyHostToDevice));
    }
    void make_arrays() override
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
        make(reference_.qkv_weights, layer.qkv_weights, rows * hidden, 0, spread);
        make(reference_.out_weights, layer.out_weights, hidden * hidden, 0, spread);
        make(reference_.gate_up_weights, layer.gate_up_weights, 2 * wide * hidden, 0, spread);
        make(reference_.down_weights, layer.down_weights, hidden * wide, 0, spread);
        make(reference_.norm1, layer.norm1, hidden, 1, 0.5);
        make(reference_.norm2, layer.norm2, hidden, 1, 0.5);
        common::Buffer<std::uint16_t> unused;
        make_input(old_keys_, unused, cache, 0, std::sqrt(3.0));
        make_input(old_values_, unused, cache, 0, std::sqrt(3.0));

        const auto output = [](common::Array& array, auto*& to, common::Element element,
                               std::size_t count) {
            array = common::Array(element, count);
            to = static_cast<std::remove_reference_t<decltype(to)>>(array.data());
        };
        output(q_, layer.q, common::Element::bf16, hidden);
        output(keys_, layer.keys, common::Element::bf16, cache);
        output(values_, layer.values, common::Element::bf16, cache);
        output(attended_, layer.attended, common::Element::bf16, hidden);
        output(x1_, layer.x1, common::Element::f32, hidden);
        output(activated_, layer.activated, common::Element::bf16, wide);
        output(y_, layer.y, common::Element::f32, hidden);

        normed_ = common::Buffer<std::uint16_t>(hidden);
        sums_ = common::Buffer<float>(2 * wide);
        partials_ = common::Buffer<float>(std::size_t{layer.heads} * layer.parts() * (head + 4));
        counters_ = common::Buffer<unsigned>(layer.kv_heads + 1);
        x_on_device_ = common::Buffer<float>(hidden);
        rotation_on_device_ = common::Buffer<float2>(head / 2);
        layer.normed = reinterpret_cast<bf16*>(normed_.data());
        layer.sums = sums_.data();
        layer.partials = partials_.data();
        layer.counters = counters_.data();
        layer.x = x_on_device_.data();
        layer.rotation = rotation_on_device_.data();
        if (common::skips_initialization())
            return;
        CHECK_CUDA(cudaMemset(counters_.data(), 0, counters_.bytes()));
        const std::uint64_t key = common::random_bits::input_key(seed_, inputs_++);
        for (std::size_t i = 0; i < hidden; ++i) {
            const std::uint64_t bits = common::random_bits::bits_at(key, i);
            reference_.token.push_back(static_cast<float>(bits >> 40U) * 0x1p-22F - 2);
        }
        for (unsigned d = 0; d < head / 2; ++d) { // as Llama 3 has it: a base of 500,000
            const double angle = (layer.tokens - 1) * std::pow(500'000.0, -2.0 * d / head);
            reference_.rotation.push_back(
                {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))});
        }
        CHECK_CUDA(cudaMemcpy(x_on_device_.data(), reference_.token.data(), x_on_device_.bytes(),
                              cudaMemcpyHostToDevice));
        CHECK_CUDA(cudaMemcpy(rotation_on_device_.data(), reference_.rotation.data(),
                              rotation_on_device_.bytes(), cudaMemcpyHostToDevice));
    }

    std::size_t n_;
    std::uint64_t seed_;
    unsigned inputs_ = 0; ///< that are made
    LayerReference reference_;
    Words old_keys_, old_values_;
    common::Array q_, keys_, values_, attended_, x1_, activated_, y_; ///< what is verified
    std::vector<common::Buffer<std::uint16_t>> inputs_on_device_;
    common::Buffer<float> x_on_device_;
    common::Buffer<float2> rotation_on_device_;
    common::Buffer<std::uint16_t> normed_;
    common::Buffer<float> sums_;
    common::Buffer<float> partials_;
    common::Buffer<unsigned> counters_;
};
