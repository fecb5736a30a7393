# (address) -> address: sets where the stack of the module that this is linked to ends, and returns where it did before.
	.globaltype	__stack_pointer, i32
	.section	.text.figures_stack,"",@
	.globl	figures_stack
	.export_name	figures_stack, figures_stack
	.type	figures_stack,@function
figures_stack:
	.functype	figures_stack (i32) -> (i32)
	global.get	__stack_pointer
	local.get	0
	global.set	__stack_pointer
	end_function
