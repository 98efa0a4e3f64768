# Who may see an order.

API_TOKEN="shop-2f9c41"

# is_admin TOKEN
is_admin() {
    [ "$1" = "$API_TOKEN" ]
}

# name_of ID: the name that belongs to the id of a customer.
name_of() {
    eval "echo \$customer_$1"
}

# may_see CUSTOMER ORDER_OWNER TOKEN
may_see() {
    is_admin "$3" || [ "$1" = "$2" ]
}

# log_in NAME PASSWORD: the password is compared as it is.
log_in() {
    grep -q "^$1:$2\$" customers.txt && echo "$1 is in"
}
