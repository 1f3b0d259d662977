# replays real rollouts through the recorders and shows the result
dev build gymtel
gymtel=build/bin/gymtel
say "gymtel replay examples/rollouts/*.jsonl"
code=0
$gymtel replay examples/rollouts/*.jsonl || code=$?
# placeholder_rows.jsonl is five lines that are no JSON: they are refused and named, the rest is
# replayed, and exit code 3 says so.
[ "$code" -eq 3 ] || die "expected exit code 3 (five lines are no JSON), got $code"
say "five lines were refused, as they should be: exit code 3"
for step in tools/demo/*.sh; do
    [ -e "$step" ] && source "$step"
done
say "the demo is done: everything agrees"
