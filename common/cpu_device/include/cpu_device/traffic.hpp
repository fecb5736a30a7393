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
    double l2_write_requests = 0;  ///< lts__t_requests_srcunit_tex_op_write.sum: lines of them
    double l2_atomic_sectors = 0;  ///< lts__t_sectors_srcunit_tex_op_red.sum and _atom.sum
    double dram_bytes_read = 0;    ///< dram__bytes_read.sum
    double dram_bytes_written = 0; ///< dram__bytes_write.sum
    /// Wavefronts of L1 for global memory: the most words that a request wants of one of the 32
    /// banks, as in shared memory.
    double global_wavefronts = 0;
    /// How often a block must wait for loads before it can go on, by the farthest memory that one
    /// of them came from: groups of loads that are issued before the first of them is used. Of its
    /// warps the mean; between barriers the one that waits most.
    double dram_phases = 0;
    double l2_phases = 0; ///< likewise
    double l1_phases = 0; ///< likewise
    /// How often an average warp waits at a barrier of its block.
    double barriers = 0;
    /// The most of the atomics' sectors that are of one 256-byte block of memory.
    double atomics_in_one_block = 0;
    /// Bytes side by side that a block of the grid touches, of what it reads and of what it writes
    /// the harmonic mean; 0 where they are so many that it makes no difference.
    double dram_run_bytes = 0;

    /// Adds what can be added: sectors, bytes, requests, wavefronts and atomics.
    Traffic& operator+=(const Traffic& other)
    {
        l1_hit_sectors += other.l1_hit_sectors;
        l2_read_sectors += other.l2_read_sectors;
        l2_write_sectors += other.l2_write_sectors;
        l2_write_requests += other.l2_write_requests;
        l2_atomic_sectors += other.l2_atomic_sectors;
        dram_bytes_read += other.dram_bytes_read;
        dram_bytes_written += other.dram_bytes_written;
        global_wavefronts += other.global_wavefronts;
        atomics_in_one_block += other.atomics_in_one_block;
        return *this;
    }
};

} // namespace cpu_device
