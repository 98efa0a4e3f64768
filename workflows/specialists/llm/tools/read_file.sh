# Shows a file of the shop, or what is in a folder of it.
. tools/argument.sh
path=$(argument path)
case "/$path/" in
*/../* | //*) echo "$path is not in the project"; exit 1 ;;
esac
cd shop || exit 2
if [ -d "$path" ]; then ls "$path"; elif [ -f "$path" ]; then cat "$path"; else
    echo "there is no $path; there are:"
    find . -type f | sort | cut -c3-
    exit 1
fi
