# Payload: topic and letter; `remarks` when the reviewer sent it back.
work=$(cat)
draft='We are sorry, and we will look at it.'
case $work in
  *'"remarks":'*) draft='Dear guest, we are sorry about the cold water. You will get half of the price back. Kind regards' ;;
esac
printf '{"signal": "WRITTEN", "data": {"draft": "%s"}, "notes": "%s"}\n' "$draft" "$draft"
