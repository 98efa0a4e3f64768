. src/login.sh

expect "an owner sees the order" yes "$(may_see anna anna none && echo yes)"
expect "a stranger does not" "" "$(may_see eve anna none && echo yes)"
expect "an admin does" yes "$(may_see eve anna "$API_TOKEN" && echo yes)"
