#!/bin/sh
# Counts the words of a text for `xcallback listen words --output lines -- words.sh`, which runs it for each request.
words=$(printf '%s' "$XCALLBACK_PARAM_TEXT" | wc -w)
if [ "$words" = 0 ]; then
    # The last line of standard error is the error that the caller gets.
    echo '{"code": 422, "message": "There is nothing to count."}' >&2
    exit 1
fi
echo "words=$words"
