. src/orders.sh
ORDERS=$work/orders

expect "the number of an order" 17 "$(number_of A-0017)"
new_order 17 anna
expect "a new order is open" open "$(state_of 17)"
expect "an order has an owner" anna "$(owner_of 17)"
expect "an order is made once" no "$(new_order 17 eve || echo no)"
add 17 tea 2 450
add 17 cup 1 1290
expect "articles cost together" 2190 "$(sum_of 17)"
expect "an open order is not sent" no "$(move 17 open sent || echo no)"
move 17 open paid
expect "an order is paid" paid "$(state_of 17)"
expect "nothing is added to a paid order" no "$(add 17 pot 1 100 || echo no)"
expect "an order is not paid twice" no "$(move 17 open paid || echo no)"
move 17 paid sent
expect "a paid order is sent" sent "$(state_of 17)"
expect "a sent order stays sent" no "$(move 17 sent open || echo no)"
