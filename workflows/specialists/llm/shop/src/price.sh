# What an order costs. Amounts are in cents.

# total QUANTITY PRICE
total() {
    echo $(($1 * $2))
}

# discounted CENTS PERCENT: rounded in favour of the customer.
discounted() {
    echo $(($1 - ($1 * $2 + 99) / 100))
}

# shipping CENTS: free from 50.00 on.
shipping() {
    if [ "$1" -ge 5000 ]; then echo 0; else echo 490; fi
}

# payable QUANTITY PRICE PERCENT
payable() {
    goods=$(discounted "$(total "$1" "$2")" "$3")
    echo $((goods + $(shipping "$goods")))
}
