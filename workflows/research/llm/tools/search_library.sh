# Passages of the library in which one of the words stands, most words first: `document#heading`, and the text.
. tools/argument.sh
words=$(argument words | tr 'A-Z' 'a-z')
cd ../library || exit 2
for file in *.md; do
    awk -v file="${file%.md}" -v words="$words" '
        function flush() {
            n = 0
            for (i = 1; i <= count; i++) if (index(tolower(text), word[i])) n++
            # A title alone says nothing.
            if (n && lines > 1) printf "%d\t%s#%s\t%s\n", n, file, heading, text
            text = ""; lines = 0
        }
        BEGIN { count = split(words, word, " ") }
        /^#+ / { flush(); heading = $0; sub(/^#+ /, "", heading) }
        /[^ ]/ { text = text $0 "\\n"; lines++ }
        END { flush() }
    ' "$file"
done | sort -rn -s -k1,1 | head -n 4 | cut -f2- | while IFS="$(printf '\t')" read -r source text; do
    printf '[%s]\n%b\n' "$source" "$text"
done
