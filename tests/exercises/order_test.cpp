// What streams, events and waits promise, and what they do not.

#include "common/exercise/order.hpp"
#include "tests/catch.hpp"

using common::kept_apart;
using common::left_undone;
using common::Operation;
using common::out_of_order;
using common::touched_too_early;
using Kind = Operation::Kind;

namespace {

Operation on(unsigned stream, Kind kind)
{
    return {.kind = kind, .stream = stream, .label = kind == Kind::device_work ? "add" : ""};
}

Operation event(unsigned stream, Kind kind, std::size_t event)
{
    return {.kind = kind, .stream = stream, .event = event};
}

Operation independent(Operation operation)
{
    operation.independent = true;
    return operation;
}

Operation pageable(Operation operation)
{
    operation.pages = Operation::Pages::pageable;
    return operation;
}

} // namespace

TEST_CASE("each device has a default stream and waits of its own")
{
    const Operation copy = on(0, Kind::copy_in);
    Operation kernel = on(0, Kind::device_work);
    CHECK(out_of_order({copy, kernel}, 1).empty());
    kernel.device = 1;
    CHECK(out_of_order({copy, kernel}, 1) ==
          "add number 1 (default stream of device 1) may run before copy to the device number 1 "
          "(default stream of device 0) has finished: nothing orders them.");
    Operation wait = on(0, Kind::host_waits_all);
    CHECK(out_of_order({copy, wait, kernel}, 1).empty());
    CHECK_FALSE(left_undone({copy, kernel, wait}).empty());
    wait.device = 1;
    CHECK_FALSE(out_of_order({copy, wait, kernel}, 1).empty());
    CHECK_FALSE(left_undone({copy, wait}).empty());
    Operation between = on(0, Kind::copy_peer);
    CHECK(left_undone({between}) == "copy between devices number 1 (default stream) may still be "
                                    "running when the host continues: nothing waits for it.");
    CHECK(left_undone({between, on(0, Kind::host_waits_all)}).empty());
}

TEST_CASE("a copy from another device is waited for by kernels of the device that it goes to")
{
    Operation copy = on(1, Kind::copy_peer);
    copy.to = 1;
    copy.bytes = 4;
    Operation kernel = on(2, Kind::device_work);
    CHECK(out_of_order({copy, kernel}, 1).empty()); // device 0
    kernel.device = 1;
    CHECK(
        out_of_order({copy, kernel}, 1) ==
        "add number 1 (stream 2 of device 1) may run before copy between devices number 1 (stream "
        "1 of device 0) has finished: nothing orders them.");
    CHECK(out_of_order(
              {copy, event(1, Kind::record_event, 7), event(2, Kind::stream_waits, 7), kernel}, 1)
              .empty());
    CHECK(kept_apart({copy, copy, kernel, kernel}, 2).empty());
    Operation beside = copy;
    beside.stream = kernel.stream;
    CHECK_FALSE(kept_apart({copy, kernel, beside, kernel}, 2).empty());
}

TEST_CASE("the operations of one stream are in order")
{
    CHECK(out_of_order({on(1, Kind::copy_in), on(1, Kind::device_work), on(1, Kind::copy_out)}, 1)
              .empty());
}

TEST_CASE("those of two streams are not, until an event or a wait of the host puts them in order")
{
    const Operation copy = on(1, Kind::copy_in);
    const Operation kernel = on(2, Kind::device_work);
    CHECK(out_of_order({copy, kernel}, 1) ==
          "add number 1 (stream 2) may run before copy to the device number 1 (stream 1) has "
          "finished: nothing orders them.");
    CHECK(out_of_order(
              {copy, event(1, Kind::record_event, 7), event(2, Kind::stream_waits, 7), kernel}, 1)
              .empty());
    CHECK(out_of_order({copy, on(1, Kind::host_waits_for), kernel}, 1).empty());
    CHECK(out_of_order({copy, on(0, Kind::host_waits_all), kernel}, 1).empty());
    CHECK(out_of_order(
              {copy, event(1, Kind::record_event, 7), event(0, Kind::host_waits, 7), kernel}, 1)
              .empty());
}

TEST_CASE("a kernel waits for those that were queued before it on the same device")
{
    Operation kernel = independent(on(1, Kind::device_work));
    CHECK(out_of_order({kernel, kernel}, 1).empty());
    CHECK(out_of_order({on(0, Kind::device_work), kernel}, 1) ==
          "add number 2 (stream 1) may run before add number 1 (default stream) has finished: "
          "nothing orders them.");
    CHECK(out_of_order({on(0, Kind::device_work), on(0, Kind::host_waits_all), kernel}, 1).empty());
    kernel.device = 1;
    CHECK(out_of_order({on(0, Kind::device_work), kernel}, 1).empty());
}

TEST_CASE("an event that was recorded too early, or on the other stream, is of no use")
{
    const Operation copy = on(1, Kind::copy_in);
    const Operation kernel = on(2, Kind::device_work);
    const Operation wait = event(2, Kind::stream_waits, 7);
    CHECK_FALSE(out_of_order({event(1, Kind::record_event, 7), copy, wait, kernel}, 1).empty());
    CHECK_FALSE(out_of_order({copy, event(2, Kind::record_event, 7), wait, kernel}, 1).empty());
    CHECK_FALSE(out_of_order({copy, wait, event(1, Kind::record_event, 7), kernel}, 1).empty());
}

TEST_CASE("the default stream waits for others and they for it, unless they are independent")
{
    CHECK(out_of_order({on(1, Kind::copy_in), on(0, Kind::device_work), on(2, Kind::copy_out)}, 1)
              .empty());
    CHECK_FALSE(
        out_of_order({independent(on(1, Kind::copy_in)), on(0, Kind::device_work)}, 1).empty());
    CHECK_FALSE(
        out_of_order({on(0, Kind::device_work), independent(on(1, Kind::copy_out))}, 1).empty());
}

TEST_CASE("pieces are asked about one by one")
{
    const std::vector<Operation> pipeline = {
        on(1, Kind::copy_in), on(1, Kind::copy_in), on(1, Kind::device_work), on(1, Kind::copy_out),
        on(2, Kind::copy_in), on(2, Kind::copy_in), on(2, Kind::device_work), on(2, Kind::copy_out),
    };
    CHECK(out_of_order(pipeline, 2).empty());
    CHECK_FALSE(out_of_order(pipeline, 1).empty());
    std::vector<Operation> wrong = pipeline;
    wrong[5].stream = 3; // half of the second piece's input
    CHECK(out_of_order(wrong, 2).starts_with("add number 2 (stream 2) may run before copy"));
}

TEST_CASE("what nobody waited for may still run")
{
    const std::vector<Operation> work = {on(1, Kind::copy_in), on(1, Kind::device_work)};
    CHECK(left_undone(work).starts_with("copy to the device number 1 (stream 1) may still be"));
    for (const Operation& wait :
         {on(1, Kind::host_waits_for), on(0, Kind::host_waits_all), on(0, Kind::host_waits_for)}) {
        std::vector<Operation> waited = work;
        waited.push_back(wait);
        CHECK(left_undone(waited).empty());
        waited.push_back(on(1, Kind::copy_out));
        CHECK(left_undone(waited).starts_with("copy to the host number 1"));
    }
    std::vector<Operation> other = work;
    other.push_back(on(2, Kind::host_waits_for));
    CHECK_FALSE(left_undone(other).empty());
}

TEST_CASE("a copy from or to pageable memory has the host wait for its stream")
{
    CHECK(left_undone({on(0, Kind::device_work), pageable(on(0, Kind::copy_out))}).empty());
    CHECK_FALSE(left_undone({on(1, Kind::device_work), pageable(on(2, Kind::copy_out))}).empty());
}

TEST_CASE("the pieces of a pipeline overlap unless something makes one wait for the other")
{
    const std::vector<Operation> pipeline = {
        on(1, Kind::copy_in), on(1, Kind::device_work), on(1, Kind::copy_out),
        on(2, Kind::copy_in), on(2, Kind::device_work), on(2, Kind::copy_out),
    };
    CHECK(kept_apart(pipeline, 2).empty());
    std::vector<Operation> one_stream = pipeline;
    for (Operation& operation : one_stream)
        operation.stream = 1;
    CHECK(kept_apart(one_stream, 2)
              .starts_with("copy to the device number 2 (stream 1) waits for "
                           "add number 1"));
    std::vector<Operation> waited = pipeline;
    waited.insert(waited.begin() + 3, on(1, Kind::host_waits_for));
    CHECK_FALSE(kept_apart(waited, 2).empty());
}

TEST_CASE("the host may touch its memory once it has waited for what uses it")
{
    const Operation touch = on(0, Kind::host_work);
    for (const Operation& use : {on(1, Kind::copy_in), on(1, Kind::copy_out)}) {
        CHECK(touched_too_early({use, touch}).find("may still be running when the host touches") !=
              std::string::npos);
        CHECK(touched_too_early({use, on(1, Kind::host_waits_for), touch}).empty());
        CHECK(touched_too_early({touch, use}).empty());
        CHECK_FALSE(touched_too_early({use, on(2, Kind::host_waits_for), touch}).empty());
    }
    // A kernel, only if it uses the host's memory.
    Operation kernel = on(1, Kind::device_work);
    CHECK(touched_too_early({kernel, touch}).empty());
    kernel.link_in_bytes = 4;
    CHECK_FALSE(touched_too_early({kernel, touch}).empty());
}

TEST_CASE("managed memory comes back to the host only after the kernels that use it")
{
    Operation fetched = on(0, Kind::copy_out);
    fetched.pages = Operation::Pages::faulting;
    CHECK_FALSE(touched_too_early({on(0, Kind::device_work), fetched}).empty());
    CHECK(touched_too_early({on(0, Kind::device_work), on(0, Kind::host_waits_all), fetched})
              .empty());
}
