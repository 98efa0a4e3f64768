# An agent is any program. It reads its work as JSON and writes what came of it as JSON.
work=$(cat)
case $work in
  *money*|*refund*) topic=refund ;;
  *) topic=general ;;
esac
letter=$(printf '%s' "$work" | sed -n 's/.*"letter":"\([^"]*\)".*/\1/p')
printf '{"signal": "READ", "data": {"topic": "%s", "letter": "%s"}, "notes": "The letter is about: %s"}\n' "$topic" "$letter" "$topic"
