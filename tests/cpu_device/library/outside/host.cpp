#include "host.hpp"

#include <cpu_device/launches.hpp>
#include <vector_types.h>

#include <cinttypes>
#include <cstdio>

void print_launches()
{
    for (const cpu_device::LaunchRecord& launch : cpu_device::launches())
        std::printf("%s: %" PRIu64 " load requests, %" PRIu64 " load sectors, %" PRIu64
                    " store requests, %" PRIu64 " store sectors\n",
                    launch.kernel.c_str(), launch.counts.load_requests, launch.counts.load_sectors,
                    launch.counts.store_requests, launch.counts.store_sectors);
}
