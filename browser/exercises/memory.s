# A program's heap is that of the module that runs it: one memory has one heap.
	.functype	figures_malloc (i32) -> (i32)
	.import_module	figures_malloc, env
	.import_name	figures_malloc, malloc
	.functype	figures_calloc (i32, i32) -> (i32)
	.import_module	figures_calloc, env
	.import_name	figures_calloc, calloc
	.functype	figures_realloc (i32, i32) -> (i32)
	.import_module	figures_realloc, env
	.import_name	figures_realloc, realloc
	.functype	figures_aligned_alloc (i32, i32) -> (i32)
	.import_module	figures_aligned_alloc, env
	.import_name	figures_aligned_alloc, aligned_alloc
	.functype	figures_free (i32) -> ()
	.import_module	figures_free, env
	.import_name	figures_free, free

	.section	.text.malloc,"",@
	.globl	malloc
	.type	malloc,@function
malloc:
	.functype	malloc (i32) -> (i32)
	local.get	0
	call	figures_malloc
	end_function

	.section	.text.calloc,"",@
	.globl	calloc
	.type	calloc,@function
calloc:
	.functype	calloc (i32, i32) -> (i32)
	local.get	0
	local.get	1
	call	figures_calloc
	end_function

	.section	.text.realloc,"",@
	.globl	realloc
	.type	realloc,@function
realloc:
	.functype	realloc (i32, i32) -> (i32)
	local.get	0
	local.get	1
	call	figures_realloc
	end_function

	.section	.text.aligned_alloc,"",@
	.globl	aligned_alloc
	.type	aligned_alloc,@function
aligned_alloc:
	.functype	aligned_alloc (i32, i32) -> (i32)
	local.get	0
	local.get	1
	call	figures_aligned_alloc
	end_function

	.section	.text.posix_memalign,"",@
	.globl	posix_memalign
	.type	posix_memalign,@function
posix_memalign:
	.functype	posix_memalign (i32, i32, i32) -> (i32)
	.local	i32
	local.get	1
	local.get	2
	call	figures_aligned_alloc
	local.set	3
	local.get	0
	local.get	3
	i32.store	0
	i32.const	0
	i32.const	48 # ENOMEM
	local.get	3
	i32.select
	end_function

	.section	.text.free,"",@
	.globl	free
	.type	free,@function
free:
	.functype	free (i32) -> ()
	local.get	0
	call	figures_free
	end_function
