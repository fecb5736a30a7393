/// \file
/// What a launch asks of the memory behind L1, and how its warps wait: what a time model needs
/// next to the counts. This library counts none of it: who is told of traces does.
#pragma once

namespace cpu_device {

/// The traffic of one launch's whole grid, as a simulation of the caches sees it: of the warps of
/// some SMs, in the order of their requests, scaled to the grid.
struct Traffic
{
    double l1_hit_sectors = 0;     ///< l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
    double l2_read_sectors = 0;    ///< lts__t_sectors_srcunit_tex_op_read.sum
    double l2_read_requests = 0;   ///< lts__t_requests_srcunit_tex_op_read.sum: lines of them
    double l2_write_sectors = 0;   ///< lts__t_sectors_srcunit_tex_op_write.sum
    double l2_write_requests = 0;  ///< lts__t_requests_srcunit_tex_op_write.sum: lines of them
    double l2_atomic_sectors = 0;  ///< lts__t_sectors_srcunit_tex_op_red.sum and _atom.sum
    double dram_bytes_read = 0;    ///< dram__bytes_read.sum
    double dram_bytes_written = 0; ///< dram__bytes_write.sum
    /// Bytes that DRAM moves next to those: the other half of 64, where a sector that was written
    /// in part stands alone.
    double dram_bytes_unused = 0;
    /// Wavefronts of L1 for global memory: the most words that a request accesses of one of the 32
    /// banks, as in shared memory.
    double global_wavefronts = 0;
    /// How often a block must wait for loads before it can go on, by the farthest memory that one
    /// of them came from: groups of loads that are issued before the first of them is used. Of its
    /// warps the mean; between barriers the one that waits most.
    double dram_phases = 0;
    double l2_phases = 0; ///< likewise
    double l1_phases = 0; ///< likewise
    /// Wavefronts that an average request to shared memory takes without conflicts: several where
    /// lanes move more than 4 bytes.
    double shared_wavefronts_each = 1;
    /// The most of the atomics' sectors that are of one slice of the L2.
    double atomics_in_one_slice = 0;
    /// Bytes of DRAM for each row of it that is opened: those that a block of the grid touches side
    /// by side; 0 where they are so many that it makes no difference.
    double dram_run_bytes = 0;
    /// Share of the blocks that load what another block of the launch has stored: they wait for it.
    double waiting_blocks = 0;
    /// Requests of global memory of the warp that makes most, over those of a warp that waits as
    /// often as the phases say; 0 where nobody knows.
    double longest_warp = 0;

    /// Adds what can be added: sectors, bytes, requests, wavefronts and atomics.
    Traffic& operator+=(const Traffic& other)
    {
        l1_hit_sectors += other.l1_hit_sectors;
        l2_read_sectors += other.l2_read_sectors;
        l2_read_requests += other.l2_read_requests;
        l2_write_sectors += other.l2_write_sectors;
        l2_write_requests += other.l2_write_requests;
        l2_atomic_sectors += other.l2_atomic_sectors;
        dram_bytes_read += other.dram_bytes_read;
        dram_bytes_written += other.dram_bytes_written;
        dram_bytes_unused += other.dram_bytes_unused;
        global_wavefronts += other.global_wavefronts;
        atomics_in_one_slice += other.atomics_in_one_slice;
        return *this;
    }
};

} // namespace cpu_device
