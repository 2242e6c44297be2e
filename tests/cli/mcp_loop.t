# From a fresh install, a script that only follows the skill goes v0 to v2 through the tools of assay mcp.
needs: command -v cc
timeout: 170

## skill, doctor, check, three versions, the summary
$ cp -r $DATA/loop loop; assay skills install --claude -q >/dev/null; python3 $ROOT/tests/mcp/raw.py agent=2
> skill True
> ready 0 0
> v0 ended 0 evaluated
> v1 ended 0 evaluated
> v2 ended 1 correctness_failed
> versions 3 best True summary True
> listed True
