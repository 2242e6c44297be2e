/* The hook that starts torch.profiler in somebody's program. */
	.section .rodata
	.global collect_torch_hook
	.global collect_torch_hook_end
collect_torch_hook:
	.incbin "src/collect/torch_hook.py"
collect_torch_hook_end:
	.byte 0
	.section .note.GNU-stack, "", @progbits
