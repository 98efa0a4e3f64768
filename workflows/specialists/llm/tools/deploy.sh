# Puts the shop into an environment, which is a folder here. A call that is repeated after a crash deploys nothing twice:
# it has the same HANDOVER_CALL_KEY.
. tools/argument.sh
environment=$(argument environment)
version=$(cat shop/VERSION)
mkdir -p "deployed/$environment"
log=deployed/log.txt
touch "$log"
if ! grep -q "^$HANDOVER_CALL_KEY " "$log"; then
    rm -rf "deployed/$environment"
    cp -r shop/src "deployed/$environment"
    echo "$HANDOVER_CALL_KEY $version $environment" >>"$log"
fi
for file in shop/src/*; do
    cmp -s "$file" "deployed/$environment/${file##*/}" || { echo "${file##*/} is not as it should be"; exit 1; }
    echo "${file##*/} is in place"
done
echo "version $version is live in $environment"
