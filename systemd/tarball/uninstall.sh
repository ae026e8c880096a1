#!/bin/sh
# Removes what install.sh installed: stops the daemon, takes back what 'xcallback register' wrote, and deletes the files.
# Configurations stay, unless --purge is given.
#
#   uninstall.sh [--purge]
set -eu

fail() {
    echo "uninstall.sh: $1" >&2
    exit 1
}

purge=no
case $#${1-} in
0) ;;
1--purge) purge=yes ;;
*) fail "usage: uninstall.sh [--purge]" ;;
esac

# install.sh writes both paths into the copy that it installs.
installed=
data=
if [ -z "$installed" ]; then
    if [ "$(id -u)" = 0 ] && [ -e /usr/local/share/xcallbackd/installed ]; then
        installed=/usr/local/share/xcallbackd
    else
        installed=${HOME:?is not set}/.local/share/xcallbackd
    fi
fi
prefix=${installed%/share/xcallbackd}
[ -n "$data" ] || data=$prefix/share
manifest=$installed/installed
[ -e "$manifest" ] || [ "$purge" = yes ] || fail "nothing is installed: '$manifest' is missing"
if [ -e "$installed" ] && [ ! -O "$installed" ]; then
    fail "'$installed' belongs to another user; run: sudo -u $(stat -c %U "$installed") -i $installed/uninstall.sh"
fi

# The first absolute one of two paths (XDG Base Directory Specification).
absolute() { case $1 in /*) echo "$1" ;; *) echo "$2" ;; esac; }
if [ "$prefix" = /usr/local ]; then
    manager=systemctl
    units='xcallbackd.socket xcallbackd.service xcallbackd-run.socket'
    set -- /etc/xcallbackd
else
    [ -O "${HOME:?is not set}" ] || fail "\$HOME belongs to another user: '$HOME'"
    manager='systemctl --user'
    units='xcallbackd.socket xcallbackd-agent.socket xcallbackd.service'
    config=$(absolute "${XDG_CONFIG_HOME:-}" "$HOME/.config")
    # The configuration, the programs that 'xcallback init' wrote, and the record of 'xcallback setup'.
    set -- "$config/xcallbackd" "$data/xcallbackd" "$(absolute "${XDG_STATE_HOME:-}" "$HOME/.local/state")/xcallbackd"
    [ ! -x "$prefix/bin/xcallback" ] || XDG_DATA_HOME=$data "$prefix/bin/xcallback" unregister >/dev/null 2>&1 || true
    # Without entries, the cache of them is one line.
    [ "$(cat "$data/applications/mimeinfo.cache" 2>/dev/null)" != "[MIME Cache]" ] || rm -f "$data/applications/mimeinfo.cache"
fi

if [ -e "$manifest" ]; then
    for unit in $units; do
        $manager --quiet disable --now "$unit" 2>/dev/null || true
    done
fi

# The lists go last: what is interrupted can be repeated.
failed=0
while read -r file || [ -n "$file" ]; do
    case $file in
    */../* | */.. | "$manifest" | "$installed/uninstall.sh") continue ;;
    "$prefix"/* | "$data"/*) ;;
    *) continue ;;
    esac
    rm -f "$file" || failed=1
done <"$([ -e "$manifest" ] && echo "$manifest" || echo /dev/null)"
[ $failed = 0 ] || fail "not everything could be removed (see above); then run it again"
folders=$(LC_ALL=C sort -r "$installed/folders" 2>/dev/null || true)
rm -f "$installed/folders" "$installed/uninstall.sh" "$manifest"

empty() { printf '%s\n' "$folders" | while read -r folder; do rmdir "$folder" 2>/dev/null || true; done; }
empty
if [ "$manager" = systemctl ]; then
    rm -rf /run/xcallbackd
    journalctl --update-catalog >/dev/null 2>&1 || true
fi
$manager daemon-reload 2>/dev/null || true

echo "xcallbackd is removed."
for process in /proc/[0-9]*; do
    case $(readlink "$process/exe" 2>/dev/null || true) in
    "$prefix/bin/xcallbackd" | "$prefix/bin/xcallbackd (deleted)")
        echo "A daemon that was started by hand still runs. Stop it: kill ${process#/proc/}"
        ;;
    esac
done
for folder; do
    [ "$purge" = no ] || rm -rf "$folder"
    [ -d "$folder" ] || continue
    find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null || true
    [ ! -d "$folder" ] || echo "Your files in $folder stay. To remove them: rm -r $folder"
done
# Folders that an earlier removal kept for files that are gone now, and those of systemctl for what was enabled.
empty
if [ "$manager" = systemctl ]; then
    echo "The users xcallback and xcallback-run stay, because files may belong to them."
else
    for folder in "$data/applications" "$prefix/bin" "$prefix/share" "$prefix/state" "$prefix" "$config/systemd/user" \
        "$config/systemd" "$config"; do
        rmdir "$folder" 2>/dev/null || true
    done
fi
