/* Embeds rates.ptx: gpu_rates_ptx, with a NUL at the end (cuModuleLoadDataEx reads text up to it). */
	.section .rodata
	.hidden gpu_rates_ptx
	.global gpu_rates_ptx
gpu_rates_ptx:
	.incbin "gpu/rates.ptx"
	.byte 0
	.section .note.GNU-stack, "", %progbits
