# rewrites the golden files; review the diff
dev build
python3 tests/contract/installed_test.py "$PWD" "$PWD/build" g++-14 --golden
dev docs
for script in tools/golden/*.sh; do
    [ -e "$script" ] && source "$script"
done
git --no-pager diff --stat
