#!/bin/sh
# Removes what install.sh installed: stops the daemon, takes back what 'xcallback register' wrote, and deletes the files.
# Configurations stay, unless --purge is given.
#
#   uninstall.sh [--purge]
set -eu
# Sort and match names as bytes.
export LC_ALL=C

fail() {
    printf "uninstall.sh: %s\n" "$1" >&2
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
    # The installed copy has the paths of the lists. HOME can be another path to the same folder now, and XDG_DATA_HOME can differ.
    path=$(sed -n "s/^installed='*\([^']*\)'*$/\1/p" "$installed/uninstall.sh" 2>/dev/null || true)
    if [ "$path" -ef "$installed" ]; then
        installed=$path
        data=$(sed -n "s/^data='*\([^']*\)'*$/\1/p" "$installed/uninstall.sh")
    fi
fi
prefix=${installed%/share/xcallbackd}
[ -n "$data" ] || data=$prefix/share
manifest=$installed/installed
is_installed=no
# Only a list that install.sh wrote contains this line.
! grep -qsxF "$installed/uninstall.sh" "$manifest" || is_installed=yes
[ "$is_installed$purge" != nono ] || fail "nothing is installed: '$manifest' is missing"
if [ -e "$installed" ] && [ ! -O "$installed" ]; then
    fail "'$installed' belongs to another user; run: sudo -u $(stat -c %U "$installed") -i $installed/uninstall.sh"
fi
exec 9<"${prefix%/*}/"
! command -v flock >/dev/null || flock -n 9 2>/dev/null || [ $? != 1 ] \
    || fail "another install.sh or uninstall.sh is running; run uninstall.sh again after it ends"

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
    # The configuration, the record of 'xcallback setup', and the programs that 'xcallback init' wrote.
    set -- "$config/xcallbackd" "$(absolute "${XDG_STATE_HOME:-}" "$HOME/.local/state")/xcallbackd" "$data/xcallbackd"
    # Hooks of the gate would deny every call of an assistant, and only its program takes them out.
    gate=$config/xcallbackd/routes.d/gate/gate
    [ ! -x "$gate" ] || "$gate" remove || fail "the hooks of '$gate' stay (see above); fix that, then run uninstall.sh again"
    [ ! -x "$prefix/bin/xcallback" ] || XDG_DATA_HOME=$data "$prefix/bin/xcallback" unregister >/dev/null 2>&1 || true
    # Without entries, the cache of them is one line.
    [ "$(cat "$data/applications/mimeinfo.cache" 2>/dev/null)" != "[MIME Cache]" ] || rm -f "$data/applications/mimeinfo.cache"
fi

if [ "$is_installed" = yes ]; then
    for unit in $units; do
        $manager --quiet disable --now "$unit" 2>/dev/null || true
    done
fi

# Whether an archive can have installed this file. Lists can be edited, so the path must contain the name, and no folder of that
# name may have become a symbolic link.
is_ours() {
    case $1/ in
    */../*) return 1 ;;
    "$prefix"/*xcallback* | "$data"/*xcallback*) ;;
    *) return 1 ;;
    esac
    [ ! -d "$1" ] || return 1
    folder=$1
    while folder=${folder%/*}; do
        case $folder in
        "$prefix/share/doc/xcallbackd"* | "$installed"/*) [ ! -L "$folder" ] || return 1 ;;
        *) return 0 ;;
        esac
    done
}

files=
[ "$is_installed" = no ] || files=$(tr -d '\000' <"$manifest")
printf '%s\n' "$files" | while read -r file; do
    case $file in "$manifest" | "$installed/uninstall.sh") continue ;; esac
    # Interrupted installations leave files with this suffix.
    ! is_ours "$file" || rm -f "$file" "$file.xcallbackd-new" || exit 1
done || fail "cannot remove a file (see the line above); fix that, then run uninstall.sh again"
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
# The lists are removed last, so that an interrupted removal can be repeated. The rest is quick.
trap '' HUP INT TERM
# The folders that install.sh created, deepest first. The list can be edited: others are left out.
folders=$(sort -r "$installed/folders" 2>/dev/null | tr -d '\000' | while read -r folder; do
    case $folder/ in
    */../* | *[[:cntrl:]]*) ;;
    "$prefix"/* | "$data"/*) echo "$folder" ;;
    *) case $data/ in "$folder"/*) echo "$folder" ;; esac ;;
    esac
done)
empty() { printf '%s\n' "$folders" | tr '\n' '\0' | xargs -0 rmdir 2>/dev/null || true; }
empty
[ "$is_installed" = no ] || rm -f "$installed"/*.xcallbackd-new "$installed/folders" "$installed/uninstall.sh" "$manifest"
for folder; do
    [ "$purge" = no ] || rm -rf "$folder"
    [ -d "$folder" ] || continue
    find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null || true
    [ ! -d "$folder" ] || echo "Your files in $folder stay. To remove them: rm -r \"$folder\""
done
# The folder of the lists, folders that an earlier removal kept because they were not empty, and folders that systemctl created.
empty
if [ "$manager" = systemctl ]; then
    echo "The users xcallback and xcallback-run stay, because files may belong to them."
else
    rmdir "$data/applications" "$prefix/bin" "$prefix/share" "$prefix/state" "$prefix" "$config/systemd/user" \
        "$config/systemd" "$config" 2>/dev/null || true
fi
