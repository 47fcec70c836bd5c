# words.sh - names for the work of a cluster, different in each: no program has such atoms. Sourced by the scripts
# beside it, which set number.
#
#   words_new              prints one that was not printed before
#   words_of NAME          prints that of NAME: w_text for a small letter first, W_text for a capital
#   words_replace FILE     replaces all w_NAME and W_NAME in a file
words_num=${words_num:-0} words_file=$(mktemp)
words_new() { # a file counts, as it is called in subshells
    local n parts=(ba ke lo mi nu pra sto tve zi go fu hax) text='' x i
    echo >>"$words_file"
    n=$(wc -l <"$words_file")
    x=$((n * 7919 + number * 104729))
    for i in 1 2 3 4; do text+=${parts[x % 12]}; x=$((x / 12 + 31 * i)); done
    echo "$text"
}
words_of() {
    local text
    [ -e "$words_file.$1" ] || words_new >"$words_file.$1"
    text=$(cat "$words_file.$1")
    case $1 in W_*) echo "${text^}" ;; *) echo "$text" ;; esac
}
words_replace() {
    local name
    for name in $(grep -oE '\b[wW]_[a-z]+' "$1" | sort -u); do sed -i "s/\\b$name\\b/$(words_of "$name")/g" "$1"; done
}
words_done() { rm -f "$words_file" "$words_file".*; }
