/* What a Python worker needs, carried inside the program: probe.so and its script. ASSAY_PROBE_SO is its path at build. */
	.section .rodata
	.hidden guest_probe
	.hidden guest_probe_end
	.hidden guest_script
	.hidden guest_script_end
	.hidden guest_describe
	.hidden guest_describe_end
	.global guest_describe
	.global guest_describe_end
	.global guest_probe
	.global guest_probe_end
	.global guest_script
	.global guest_script_end
guest_probe:
	.incbin ASSAY_PROBE_SO
guest_probe_end:
guest_script:
	.incbin "src/run/worker.py"
guest_script_end:
guest_describe:
	.incbin "src/run/describe.py"
guest_describe_end:
	.section .note.GNU-stack, "", %progbits
