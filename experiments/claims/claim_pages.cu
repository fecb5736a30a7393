// claim_pages: Are the times of page locking and of staging the GPU's, or the host's?
//
// Memory of pages of 4 KiB and of huge ones, first touched by one thread or by all, is locked for
// the device and, with no device in it, by mlock. What a copy through the driver's own locked
// buffer has to do on the host is a copy from memory to memory: here is that alone.

#include "common/chapter.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

enum class Pages
{
    small,
    huge
};

// Memory of that kind, in which each page has been touched.
class HostPages
{
  public:
    HostPages(std::size_t bytes, Pages pages, unsigned by) : bytes_(bytes)
    {
        constexpr std::size_t huge = std::size_t{2} << 20; // bytes: where a huge page begins
        mapped_ =
            mmap(nullptr, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped_ == MAP_FAILED) {
            throw std::bad_alloc();
        }
        const auto start = reinterpret_cast<std::uintptr_t>(mapped_);
        data_ = reinterpret_cast<char*>((start + huge - 1) / huge * huge);
        // A system without huge pages says no, and the rows then tie.
        static_cast<void>(
            madvise(data_, bytes, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE));
        const std::size_t part = (bytes / by + 4095) / 4096 * 4096;
        std::vector<std::thread> all;
        for (std::size_t first = 0; first < bytes; first += part) {
            all.emplace_back([this, first, last = std::min(first + part, bytes)] {
                for (std::size_t at = first; at < last; at += 4096) {
                    data_[at] = 1;
                }
            });
        }
        for (std::thread& one : all) {
            one.join();
        }
    }
    HostPages(const HostPages&) = delete;
    HostPages& operator=(const HostPages&) = delete;
    ~HostPages() { munmap(mapped_, bytes_ + (std::size_t{2} << 20)); }

    [[nodiscard]] char* data() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    std::size_t bytes_;
    void* mapped_ = nullptr;
    char* data_ = nullptr;
};

// How much of this process's memory the system has made of huge pages, where it says so: without
// any, rows that request them say nothing.
std::size_t huge_mib()
{
    std::ifstream file("/proc/self/smaps_rollup");
    for (std::string word; file >> word;) {
        std::size_t kib = 0;
        if (word == "AnonHugePages:" && file >> kib) {
            return kib / 1024;
        }
    }
    return 0;
}

// Whether this process may lock so much by itself.
std::string may_lock(std::size_t bytes)
{
    const HostPages pages(bytes, Pages::small, 1);
    if (mlock(pages.data(), bytes) != 0) {
        return std::string("mlock: ") + std::strerror(errno);
    }
    munlock(pages.data(), bytes);
    return "";
}

void run(common::Chapter& chapter, common::Copy<float>& p, Pages pages, bool parallel)
{
    const std::size_t bytes = p.n * sizeof(float);
    const unsigned by = parallel ? std::max(std::thread::hardware_concurrency(), 1u) : 1;
    std::unique_ptr<HostPages> host;
    bool locked = false;
    const auto make = [&](bool wanted) {
        if (locked != wanted) {
            if (wanted) {
                CHECK_CUDA(cudaHostRegister(host->data(), bytes, cudaHostRegisterDefault));
            } else {
                CHECK_CUDA(cudaHostUnregister(host->data()));
            }
        }
        locked = wanted;
    };
    const auto setup = [&] {
        host = std::make_unique<HostPages>(bytes, pages, by);
        CHECK_CUDA(cudaMemcpy(host->data(), p.a, bytes, cudaMemcpyDeviceToHost));
    };
    const auto lock = [&](cudaStream_t) { make(true); };
    const auto unlock = [&](cudaStream_t) { make(false); };
    const auto copy = [&](cudaStream_t) {
        CHECK_CUDA(cudaMemcpy(p.c, host->data(), bytes, cudaMemcpyHostToDevice));
    };
    const auto row = [&](const char* name) {
        return common::Variant{.name = name,
                               .columns = {{"pages", pages == Pages::small ? "4 KiB" : "huge"},
                                           {"touched_by", parallel ? "all" : "one"},
                                           {"huge_mib", huge_mib}},
                               .task = "page locking",
                               .setup = setup,
                               .after = copy};
    };
    common::Variant variant = row("register");
    variant.before = unlock;
    chapter.run_transfer(variant, p, lock);
    if (host) {
        make(false);
    }
    variant = row("unregister");
    variant.before = lock;
    chapter.run_transfer(variant, p, unlock);
    if (host) {
        make(false);
    }
    variant = row("mlock");
    variant.unavailable = [bytes] { return may_lock(bytes); };
    variant.before = [&](cudaStream_t) { munlock(host->data(), bytes); };
    chapter.run_transfer(variant, p, [&](cudaStream_t) {
        if (mlock(host->data(), bytes) != 0) {
            throw std::runtime_error(std::string("mlock: ") + std::strerror(errno));
        }
    });
    variant = row("pageable_to_device");
    variant.task = "staging";
    variant.after = {};
    chapter.run_transfer(variant, p, copy);
    // To an array of its own, as many bytes, and to one of 1 MiB, again and again, as a driver does
    // with its locked buffer. What was copied last crosses to the device to be verified.
    std::unique_ptr<HostPages> to;
    for (const bool whole : {true, false}) {
        variant = row(whole ? "host_copy" : "host_copy_to_1_mib");
        variant.task = "staging";
        variant.setup = [&, whole] {
            setup();
            to = std::make_unique<HostPages>(whole ? bytes : std::min(bytes, std::size_t{1} << 20),
                                             pages, by);
        };
        variant.after = [&, whole](cudaStream_t) {
            const char* from = whole ? to->data() : host->data();
            CHECK_CUDA(cudaMemcpy(p.c, from, bytes, cudaMemcpyHostToDevice));
        };
        chapter.run_transfer(variant, p, [&](cudaStream_t) {
            for (std::size_t at = 0; at < bytes; at += to->bytes()) {
                std::memcpy(to->data(), host->data() + at, std::min(to->bytes(), bytes - at));
            }
        });
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{
        .gpu = {1u << 24, 1u << 27}, .cpu = {1u << 16}, .bytes_per_element = 8};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::Copy<float> p(chapter,
                              {.task = "copy to device", .n = n, .bytes = n * sizeof(float)});
        run(chapter, p, Pages::small, false);
        run(chapter, p, Pages::huge, false);
        run(chapter, p, Pages::small, true);
        run(chapter, p, Pages::huge, true);
    }
    return chapter.finish();
}
