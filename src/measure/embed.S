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
	.section .note.GNU-stack, "", @progbits
