/* Files that the measure room carries inside the program. */
	.section .rodata
	.global reference_script
	.global reference_script_end
reference_script:
	.incbin "src/measure/reference.py"
	.byte 0
reference_script_end:
	.global overloads_script
	.global overloads_script_end
overloads_script:
	.incbin "src/measure/overloads.py"
overloads_script_end:
	.global import_script
	.global import_script_end
import_script:
	.incbin "src/measure/import.py"
import_script_end:
	.macro embed name
	.global import_\name
	.global import_\name\()_end
import_\name:
	.incbin "src/measure/import_\name\().py"
import_\name\()_end:
	.endm
	embed runtime
	embed leetgpu
	embed kernelbench
	embed tensara
	embed gpumode
	embed trace
	embed robust
	embed tritonbench
	.section .note.GNU-stack, "", @progbits
