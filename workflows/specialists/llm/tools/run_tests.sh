# Runs the tests of the shop and says which of them pass.
cd shop || exit 2
passed=0 failed=0
# A place for the files of the tests, which nobody else has.
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# expect NAME WANTED FOUND
expect() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1: expected '$2', found '$3'"
    fi
}

for file in tests/*.sh; do
    echo "$file"
    . "./$file"
done
echo "$passed passed, $failed failed"
