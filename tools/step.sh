#!/bin/sh
# A step of the set-up: runs a command and prints one line, with the size of the folder that it fills and the seconds that
# it took; nothing if these were none. The command's output is shown only if it fails.
#   tools/step.sh TEXT FOLDER COMMAND...
set -eu
text=$1 folder=$2
shift 2
log=$(mktemp)
start_s=$(date +%s)
status=0
"$@" >"$log" 2>&1 || status=$?
took_s=$(($(date +%s) - start_s))
if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    echo "$text: failed after $took_s s" >&2
elif [ "$took_s" -gt 0 ]; then
    echo "$text ($folder, $(du -sm "$folder" | cut -f1) MB, $took_s s)"
fi
rm -f "$log"
exit "$status"
