/* Drivers to start from, which `assay driver new` writes. */
	.section .rodata
	.global skeleton_python, skeleton_python_end
skeleton_python:
	.incbin "src/protocol/skeleton.py"
skeleton_python_end:
	.global skeleton_shell, skeleton_shell_end
skeleton_shell:
	.incbin "src/protocol/skeleton.sh"
skeleton_shell_end:
	.global skeleton_c, skeleton_c_end
skeleton_c:
	.incbin "src/protocol/skeleton_c.txt"
skeleton_c_end:
	.section .note.GNU-stack, "", @progbits
