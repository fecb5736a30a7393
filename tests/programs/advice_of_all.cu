// SLOW: the kinds of advice.cu that take longer, another card's, and by KIND=all of twelve the three that take longest.
// RUN KIND=rows => 0 copy_rows is limited by blocks: [^$]*  16 384 blocks of 256 threads [^$]*\(book/23_block_launch\.md\): up to 1\.\d times as fast \(model within \d+ %\)\.\n
// RUN KIND=field => 0 one_field is limited by dram: [^$]*  The load of advice\.cu:46 wants 4\.0 of the 32 bytes of a sector; of all that move, 22 % are used\.\n  Keep an array for each field \(book/16_data_layout\.md\): up to 2\.\d times
// RUN KIND=gather => 0 gather is limited by l2: [^$]*  A request by the load of advice\.cu:53, of 32 lanes, touches 32 sectors without a pattern, where 4\.0 would do\.\n[^$]*\(book/17_gather\.md\): up to
// RUN KIND=kinds => 0 many_kinds is limited by atomics: [^$]*  In a request by the atomic of advice\.cu:96, 32 of 32 lanes
// RUN KIND=all => 0 \nhistogram is limited [^$]*\nmany_kinds is limited [^$]*\nconflicts is limited [^$]*\n9 more kernels take \d+ % of the modelled time\.\n
// RUN KIND=stream MOVING_BYTES_CARD=t4 => 0 is limited by dram: [^$]* at \d\d % of the peak of T4\.
// RUN KIND=columns MOVING_BYTES_CARD=t4 => 0 Turn it in a tile of shared memory \(book/20_transpose_tiles\.md\): up to [\d.]+ times as fast\.\n
#include "advice.cu"
