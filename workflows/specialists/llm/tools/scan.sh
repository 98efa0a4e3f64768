# Looks for secrets in plain text and for calls that run what a stranger says. A secret itself is not repeated.
cd shop || exit 2
found=0

# look PATTERN WHAT
look() {
    for place in $(grep -nE "$1" src/* | cut -d: -f1,2); do
        found=$((found + 1))
        echo "$place: $2"
    done
}

look '^[A-Z_]*(TOKEN|SECRET|PASSWORD)="[^$"]' "a secret in plain text"
look '(^|[^a-z_])eval ' "eval runs any text as code"
look 'PASSWORD|password' "a password is handled: is it hashed?"
echo "$found things found"
