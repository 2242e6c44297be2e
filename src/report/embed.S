/* Style and script of the HTML report. */
	.section .rodata
	.global report_css
	.global report_js
report_css:
	.incbin "src/report/page.css"
	.byte 0
report_js:
	.incbin "src/report/page.js"
	.byte 0
	.section .note.GNU-stack, "", @progbits
