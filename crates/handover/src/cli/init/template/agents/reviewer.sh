# Ends with a score; the rules of workflow.yaml say what becomes of it.
work=$(cat)
case $work in
  *'Kind regards'*) printf '{"signal": "REVIEWED", "score": 95, "notes": "Friendly and to the point."}\n' ;;
  *) printf '{"signal": "REVIEWED", "score": 40, "data": {"remarks": "Greet the guest, and say what you offer."}, "notes": "It says nothing that helps."}\n' ;;
esac
