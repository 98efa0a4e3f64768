. src/price.sh

expect "total of three" 2997 "$(total 3 999)"
expect "total of none" 0 "$(total 0 999)"
expect "ten percent off" 900 "$(discounted 1000 10)"
expect "rounded for the customer" 899 "$(discounted 999 10)"
expect "shipping of a small order" 490 "$(shipping 4999)"
expect "free shipping" 0 "$(shipping 5000)"
expect "all together" 3389 "$(payable 3 1074 10)"
