# Writes the code of passages into a file of this session, in the order in which they are named.
. tools/argument.sh
file=$(argument file)
case "$file" in
"" | */* | .*) echo "'$file' cannot be the name of a file"; exit 1 ;;
esac
folder="written/$HANDOVER_SESSION_ID"
mkdir -p "$folder"
out="$PWD/$folder/$file"
: >"$out"
{ argument sources | tr ',' '\n'; echo; } | while read -r source; do
    [ -n "$source" ] || continue
    document=../library/${source%%#*}.md
    [ -f "$document" ] || { echo "there is no passage $source"; continue; }
    awk -v heading="${source#*#}" '
        /^#+ / { here = $0; sub(/^#+ /, "", here); inside = (here == heading) }
        /^```/ { code = !code; next }
        inside && code { print }
    ' "$document" >>"$out"
    echo "" >>"$out"
done
[ -s "$out" ] || { echo "these passages have no code"; exit 1; }
echo "$folder/$file has $(grep -c . "$out") lines of code"
