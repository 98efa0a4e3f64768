# Reads the arguments, one JSON object, from the standard input: `argument NAME` writes a text of it.
given=$(cat)

argument() {
    printf '%s' "$given" | sed -n "s/.*\"$1\" *: *\"\([^\"]*\)\".*/\1/p"
}
