/* Embeds assay.ptx: gpu_ptx .. gpu_ptx_end, with a NUL at the end (cuModuleLoadDataEx reads text up to it). */
	.section .rodata
	.hidden gpu_ptx
	.hidden gpu_ptx_end
	.global gpu_ptx
	.global gpu_ptx_end
gpu_ptx:
	.incbin "gpu/assay.ptx"
	.byte 0
gpu_ptx_end:
	.section .note.GNU-stack, "", %progbits
