. src/stock.sh
STOCK=$work/stock.txt
printf 'tea 12\ncup 3\n' >"$STOCK"

expect "tea is in stock" 12 "$(in_stock tea)"
expect "pots are not" 0 "$(in_stock pot)"
take tea 5
expect "what is taken is gone" 7 "$(in_stock tea)"
expect "nobody takes more than there is" no "$(take cup 4 || echo no)"
expect "then nothing is taken" 3 "$(in_stock cup)"
expect "cups are scarce" cup "$(scarce 5)"
