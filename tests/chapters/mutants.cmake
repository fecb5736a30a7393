# Mutation test: copies of chapters with one deliberate mistake each. Verification (status 1) or the
# CPU device's checks (status 6) must reject every one of them.

# add_mutant(NAME CHAPTER VARIANT OLD NEW): replaces the first OLD in the chapter's source by NEW and
# expects `--variant VARIANT` to be rejected. The test fails if OLD is not there any more.
function(add_mutant name chapter variant old new)
  set(source ${PROJECT_SOURCE_DIR}/chapters/${chapter}/${chapter}.cu)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(READ ${source} text)
  string(FIND "${text}" "${old}" position)
  if(position EQUAL -1)
    # A failing test and not a failing build: who edits a chapter may not care for its mutants yet.
    add_test(NAME "mutant: ${name}" COMMAND sh -c
      "echo 'The text that it replaces is not in ${chapter}.cu any more; give mutants.cmake the new one.'; exit 1")
    return()
  endif()
  string(LENGTH "${old}" length)
  math(EXPR after "${position} + ${length}")
  string(SUBSTRING "${text}" 0 ${position} head)
  string(SUBSTRING "${text}" ${after} -1 tail)
  set(mutated ${CMAKE_CURRENT_BINARY_DIR}/mutant_${name}.cu)
  file(CONFIGURE OUTPUT ${mutated} CONTENT "${head}${new}${tail}" @ONLY)

  add_cuda_program(mutant_${name} ${mutated} LIBRARIES common)
  target_include_directories(mutant_${name} PRIVATE ${PROJECT_SOURCE_DIR}/chapters/${chapter})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/chapters/${chapter}/*.cpp)
  target_sources(mutant_${name} PRIVATE ${sources})
  add_test(NAME "mutant: ${name}"
    COMMAND ${CMAKE_COMMAND} "-DSTATUS=1;6" "-DMATCH=FAILED|kernel"
      -P ${PROJECT_SOURCE_DIR}/tests/expect.cmake --
      $<TARGET_FILE:mutant_${name}> --n 100003 --variant ${variant})
endfunction()

add_mutant(missing_guard 01_basic_vecadd basic
  "if (i < n)" "if (i < n + blockDim.x)")
add_mutant(last_element_skipped 01_basic_vecadd basic
  "if (i < n)" "if (i + 1 < n)")
add_mutant(overlapping_blocks 01_basic_vecadd basic
  "* blockDim.x + threadIdx.x" "* (blockDim.x - 1) + threadIdx.x")
add_mutant(wrong_operator 01_basic_vecadd basic
  "a[i] + b[i]" "a[i] - b[i]")
add_mutant(forgotten_copy_back 01_basic_vecadd by_hand
  "cudaMemcpy(host_c, c, bytes," "cudaMemcpy(host_c, c, bytes / 2,")
add_mutant(wrong_block_step 02_threads_per_block basic
  "blockIdx.x} * blockDim.x" "blockIdx.x} * 64")
add_mutant(overlapping_neighbours 03_coarsening neighbours_x4
  "threadIdx.x) * per_thread" "threadIdx.x) * (per_thread - 1)")
add_mutant(stride_of_one 03_coarsening strided_x2
  "first + std::size_t{k} * blockDim.x" "first + std::size_t{k}")
add_mutant(stale_sums 03_coarsening neighbours_x4_loads_first
  "c[i] = sum[k]" "c[i] = sum[0]")
add_mutant(last_chunk_forgotten 04_async_memcpy pipeline
  "first < p.n; first += chunk" "first + chunk < p.n; first += chunk")
add_mutant(chunks_on_top_of_each_other 04_async_memcpy pipeline
  "p.host_c + first, p.c + first" "p.host_c, p.c + first")
add_mutant(tail_skipped 05_float4 float4
  "k = 4 * vectors; k < n" "k = 4 * vectors; k + 1 < n")
add_mutant(full_vector_past_the_end 05_float4 float4
  "if (i < vectors)" "if (i <= vectors)")
add_mutant(alignment_ignored 05_float4 guarded_off_by_one
  "(4 - offset) % 4" "0 * offset")
add_mutant(word_past_the_end 06_memcpy_vectorized word16
  "if (i < words)" "if (i <= words)")
add_mutant(tail_from_the_wrong_start 06_memcpy_vectorized word16
  "k = words * units" "k = words * units + 1")
add_mutant(slot_of_another_thread 07_shared_memory copy_staged
  "c[i] = tile[threadIdx.x]" "c[i] = tile[threadIdx.x ^ 32]")
add_mutant(wait_forgotten 07_shared_memory copy_async
  "__pipeline_wait_prior(1)" "__pipeline_wait_prior(2)")
add_mutant(stencil_without_barrier 07_shared_memory stencil_shared
  "__syncthreads()" "static_cast<void>(0)")
add_mutant(halo_too_short 07_shared_memory stencil_shared
  "threadIdx.x < 2 * radius" "threadIdx.x < radius")
add_mutant(reorder_without_barrier 07_shared_memory reorder_padded
  "__syncthreads();\n        c[i]" "c[i]")
add_mutant(variable_never_set 08_memory_spaces set_by_name
  "CHECK_CUDA(cudaMemcpyToSymbol(addend, &value, sizeof value))" "static_cast<void>(value)")
add_mutant(half_the_table 08_memory_spaces constant
  "constant_table[i & mask]" "constant_table[i & mask / 2]")
add_mutant(places_added_not_doubled 08_memory_spaces rotate_registers
  "(1u << step)" "step")
add_mutant(fields_overlap 14_data_layout soa
  "a[k * n + i]" "a[k * (n - 1) + i]")
add_mutant(fields_of_other_tiles 14_data_layout aosoa
  "i / tile * tile * fields" "i / tile * tile")
add_mutant(last_tile_overfilled 14_data_layout aosoa
  "if (i < n) {\n        const std::size_t first" "if (i < (n + 31) / 32 * 32) {\n        const std::size_t first")
add_mutant(tile_without_barrier 16_transpose tile_padded
  "__syncthreads();" "")
add_mutant(ragged_edge_skipped 16_transpose unroll4_row
  "if (x < columns && y < rows) {\n            c[x * rows + y] = v[k]"
  "if (x + (3 - k) * blockDim.x < columns && y < rows) {\n            c[x * rows + y] = v[k]")
add_mutant(rows_for_columns 16_transpose tile_padded
  "c[(left + x) * rows" "c[(left + x) * columns")
add_mutant(pitch_in_elements 12_pitched_memory pitched
  "c[y * stride + x] = a" "c[y * pitch + x] = a")
add_mutant(padding_written 12_pitched_memory pitched
  "if (x < columns) {" "if (x <= columns) {")
add_mutant(slices_of_one_row_less 12_pitched_memory pitched_box
  "c[(z * rows + y) * stride + x]" "c[(z * (rows - 1) + y) * stride + x]")
add_mutant(index_that_is_read_unchecked 13_alignment read
  "if (i + offset < n)" "if (i < n)")
add_mutant(index_that_is_written_unchecked 13_alignment write
  "if (i + offset < n) {\n        c[i + offset]" "if (i < n) {\n        c[i + offset]")
add_mutant(offset_of_one_input_forgotten 13_alignment read
  "b[i + offset]" "b[i]")
add_mutant(end_of_the_last_pass 15_l2_persistence ordinary
  "j < window && i < n" "j < window && i < n + window")
add_mutant(window_that_does_not_come_back 15_l2_persistence stream_window
  "kept = a[j]" "kept = a[i]")
add_mutant(passes_overlap 15_l2_persistence graph_window
  "blockIdx.y * window + j" "blockIdx.y * (window - 1) + j")
add_mutant(sum_left_on_the_device 10_mapped_memory mapped
  "device_pointer(p.host_c)" "p.c")
add_mutant(copy_of_b_forgotten 10_mapped_memory copy
  "cudaMemcpyAsync(p.b, p.host_b, bytes" "cudaMemcpyAsync(p.b, p.host_b, bytes / 2")
add_mutant(last_row_too_long 11_unified_memory managed
  "column < columns && i < n" "column < columns && i < n + columns")
add_mutant(copy_out_too_short 11_unified_memory explicit
  "p.n * sizeof(float), cudaMemcpyDeviceToHost" "p.n, cudaMemcpyDeviceToHost")
add_mutant(columns_of_another_matrix 11_unified_memory managed_static
  "managed_columns = columns_of(p.n)" "managed_columns = 2 * columns_of(p.n)")
add_mutant(half_of_the_bytes 09_pinned_memory pinned_to_device
  "p.host, p.bytes(), cudaMemcpyHostToDevice" "p.host, p.bytes() / 2, cudaMemcpyHostToDevice")
add_mutant(one_float_too_far 09_pinned_memory pageable_to_host
  "cudaMemcpy(p.host, p.device" "cudaMemcpy(p.host + 1, p.device")
add_mutant(sum_of_whole_eights 09_pinned_memory read_write_combined
  "for (; i < n; ++i)" "for (; i + 8 < n; ++i)")
