/// \file
/// What a launch asks of the memory behind L1, and how its warps wait: what a time model needs
/// beside the counts.
#pragma once

#include <cstdint>

namespace cpu_device {

/// The traffic of one launch's whole grid, as a simulation of the caches sees it: of the warps of
/// some multiprocessors, in the order of their requests, scaled to the grid.
struct Traffic
{
    double l1_hit_sectors = 0;     ///< l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
    double l2_read_sectors = 0;    ///< lts__t_sectors_srcunit_tex_op_read.sum
    double l2_write_sectors = 0;   ///< lts__t_sectors_srcunit_tex_op_write.sum
    double l2_atomic_sectors = 0;  ///< lts__t_sectors_srcunit_tex_op_red.sum and _atom.sum
    double dram_bytes_read = 0;    ///< dram__bytes_read.sum
    double dram_bytes_written = 0; ///< dram__bytes_write.sum
    /// How often an average warp must wait for loads of global memory before it can go on: groups
    /// of loads that are issued before the first of them is used.
    double load_phases = 0;
    /// How often an average warp waits at a barrier of its block.
    double barriers = 0;
    /// The most atomics that one address gets.
    double atomics_on_one_address = 0;
};

} // namespace cpu_device
