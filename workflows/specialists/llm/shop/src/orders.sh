# Orders, a file for each: ORDERS/NUMBER holds `customer`, `state` and a line for each article.

ORDERS=${ORDERS:-orders}

# number_of TEXT: the digits of an order's number, such as A-0017.
number_of() {
    printf '%s' "$1" | tr -cd '0-9' | sed 's/^0*//'
}

# new_order NUMBER CUSTOMER
new_order() {
    mkdir -p "$ORDERS"
    [ ! -e "$ORDERS/$1" ] || return 1
    printf 'customer %s\nstate open\n' "$2" >"$ORDERS/$1"
}

# add NUMBER ARTICLE QUANTITY PRICE
add() {
    [ "$(state_of "$1")" = open ] || return 1
    printf 'article %s %s %s\n' "$2" "$3" "$4" >>"$ORDERS/$1"
}

# state_of NUMBER: open, paid or sent.
state_of() {
    sed -n 's/^state //p' "$ORDERS/$1"
}

# owner_of NUMBER
owner_of() {
    sed -n 's/^customer //p' "$ORDERS/$1"
}

# sum_of NUMBER: what the articles cost together.
sum_of() {
    sum=0
    while read -r kind name quantity price; do
        [ "$kind" = article ] && sum=$((sum + quantity * price))
    done <"$ORDERS/$1"
    echo "$sum"
}

# move NUMBER FROM TO: an order goes from open to paid to sent, and never back.
move() {
    case "$2-$3" in open-paid | paid-sent) ;; *) return 1 ;; esac
    [ "$(state_of "$1")" = "$2" ] || return 1
    sed "s/^state .*/state $3/" "$ORDERS/$1" >"$ORDERS/$1.new"
    mv "$ORDERS/$1.new" "$ORDERS/$1"
}

# notify NUMBER COMMAND: tells the customer, by whatever command the shop was set up with.
notify() {
    eval "$2 '$(owner_of "$1")' 'your order $1 is $(state_of "$1")'"
}
