# What is in stock: a file with a line for each article, `name quantity`.

STOCK=${STOCK:-stock.txt}

# in_stock ARTICLE
in_stock() {
    found=$(sed -n "s/^$1 \([0-9]*\)\$/\1/p" "$STOCK")
    echo "${found:-0}"
}

# take ARTICLE QUANTITY: takes nothing where there is too little.
take() {
    left=$(($(in_stock "$1") - $2))
    [ "$left" -ge 0 ] || return 1
    sed "s/^$1 .*/$1 $left/" "$STOCK" >"$STOCK.new"
    mv "$STOCK.new" "$STOCK"
}

# scarce LIMIT: articles of which there are fewer.
scarce() {
    while read -r name quantity; do
        [ "$quantity" -lt "$1" ] && echo "$name"
    done <"$STOCK"
}
