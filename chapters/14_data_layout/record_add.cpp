#include "record_add.hpp"

#include "common/device/check.hpp"

#include <cstring>

namespace common {

namespace {

/// A float of these bytes, -3.7e28, is far from every input and result, and no NaN: it can be
/// compared with.
constexpr unsigned char kept_byte = 0xEE;

/// A place among the floats of an array.
struct Place
{
    std::size_t record;
    std::size_t field;
};

Place place_of(std::size_t position, RecordLayout layout, std::size_t n, std::size_t fields)
{
    switch (layout) {
    case RecordLayout::array_of_structures:
        return {position / fields, position % fields};
    case RecordLayout::structure_of_arrays:
        return {position % n, position / n};
    case RecordLayout::tiles:
        return {position / (RecordAdd::tile * fields) * RecordAdd::tile +
                    position % RecordAdd::tile,
                position / RecordAdd::tile % fields};
    }
    return {};
}

/// Floats of `records` records in whole tiles, which is room for them in any layout.
std::size_t floats(std::size_t records, std::size_t fields)
{
    return (records + RecordAdd::tile - 1) / RecordAdd::tile * RecordAdd::tile * fields;
}

} // namespace

RecordAdd::RecordAdd(const Chapter& chapter, std::size_t records, unsigned field_count,
                     UsedFields used_fields)
    : UnaryProblem(used_fields == UsedFields::all ? "add to records" : "add to one field", chapter,
                   Element::f32, floats(records, field_count)),
      a(static_cast<const float*>(input())), c(static_cast<float*>(output())), n(records),
      fields(field_count), used(used_fields)
{}

void RecordAdd::poison()
{
    UnaryProblem::poison();
    CHECK_CUDA(cudaMemset(c, kept_byte, floats(n, fields) * sizeof(float)));
    CHECK_CUDA(cudaDeviceSynchronize());
}

Verdict RecordAdd::verify()
{
    float kept = 0;
    std::memset(&kept, kept_byte, sizeof kept);
    const std::size_t used_fields = used == UsedFields::all ? fields : 1;
    return verify_against([=, this](std::size_t first, std::size_t count, void* out) {
        generate_input(first, count, out);
        auto* expected = static_cast<float*>(out);
        for (std::size_t j = 0; j < count; ++j) {
            const Place place = place_of(first + j, layout, n, fields);
            expected[j] = place.record < n && place.field < used_fields
                              ? expected[j] + static_cast<float>(place.field + 1)
                              : kept;
        }
    });
}

std::uint64_t RecordAdd::bytes() const
{
    return 2 * n * (used == UsedFields::all ? fields : 1) * sizeof(float);
}

} // namespace common
