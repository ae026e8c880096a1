#!/bin/sh
# Installs xcallbackd from an unpacked archive: for the current user below ~/.local, or as root for the system below
# /usr/local. A later version replaces an earlier one. uninstall.sh, which is installed as well, removes all of it.
#
#   ./install.sh [--user | --system]      --user is the default, and --system is root's
set -eu
umask 022
CDPATH='' cd -P -- "$(dirname -- "$(readlink -f -- "$0")")"

# 'make tarball' writes it.
architecture=@ARCHITECTURE@

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

scope=--user
[ "$(id -u)" != 0 ] || scope=--system
case $# in
0) ;;
1) scope=$1 ;;
*) scope=help ;;
esac
case $scope in
--user)
    # The files of a user are written by that user only: others could lead root anywhere.
    [ -d "${HOME:-}" ] && [ -O "$HOME" ] && [ -w "$HOME" ] \
        || fail "\$HOME must be a folder of the current user, which can be written: '${HOME:-}'"
    HOME=$(CDPATH='' cd -- "$HOME" && pwd)
    prefix=$HOME/.local
    data=$prefix/share
    # Only absolute paths count (XDG Base Directory Specification).
    case ${XDG_DATA_HOME:-} in /*) [ "$XDG_DATA_HOME" -ef "$data" ] || data=$(echo "$XDG_DATA_HOME" | sed 's|/*$||') ;; esac
    manager='systemctl --user'
    ;;
--system)
    [ "$(id -u)" = 0 ] || fail "only root can install for the system; run: sudo ./install.sh"
    prefix=/usr/local
    data=$prefix/share
    manager=systemctl
    ;;
*) fail "usage: ./install.sh [--user | --system]" ;;
esac
case $prefix$data in
*[!A-Za-z0-9_./+@-]*)
    fail "unit files cannot name '$prefix' and '$data': letters, digits and _./+@- are possible; nothing was installed.
Install it for the system: sudo ./install.sh"
    ;;
esac

[ -d files/usr/local ] || fail "the folder 'files' of the archive is missing in '$PWD'"
[ "$(uname -m)" = "$architecture" ] || fail "this archive is for $architecture, and this machine is $(uname -m)"
# The loader prints the reason if they cannot run.
for program in xcallbackd xcallback; do
    files/usr/local/bin/$program --version >/dev/null \
        || fail "$program does not run from '$PWD' (see the line above): it needs glibc 2.34 and libsystemd; nothing was installed"
done

# The files as this scope wants them, in a folder with the structure of the root.
work=$(mktemp -d)
tree=$work/tree
is_writing=no
leave() {
    status=$?
    trap - EXIT
    [ ! -s "$work/manifest" ] || [ "$status" = 0 ] || while read -r file; do rm -f "$file.xcallbackd-new"; done <"$work/manifest"
    rm -rf "$work"
    [ "$is_writing" = no ] || echo "install.sh: the installation is incomplete; run install.sh again" >&2
    exit "$status"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$tree$prefix" "$tree$data"
if [ "$scope" = --system ]; then
    cp -R files/usr "$tree"
else
    cp -R files/usr/local/bin files/usr/local/share "$tree$prefix"
    # 'xcallback register' writes the desktop entry of a user.
    rm -r "$tree$prefix/share/applications"
    mkdir -p "$tree$data/systemd"
    cp -R files/usr/local/lib/systemd/user "$tree$data/systemd"
    if [ "$data" != "$prefix/share" ]; then
        for folder in bash-completion dbus-1 fish; do
            mv "$tree$prefix/share/$folder" "$tree$data"
        done
    fi
    sed -i "s|/usr/local/bin/|$prefix/bin/|" "$tree$data"/systemd/user/*.service "$tree$data"/dbus-1/services/*.service
fi
installed=$prefix/share/xcallbackd
sed "s|^installed=.*|installed=$installed|; s|^data=.*|data=$data|" uninstall.sh >"$tree$installed/uninstall.sh"
# Whatever umask the archive was unpacked with.
chmod -R u=rwX,go=rX "$tree"
chmod 755 "$tree$installed/uninstall.sh"

manifest=$installed/installed
(cd "$tree" && find . -type f | sed 's|^\.||') | LC_ALL=C sort >"$work/manifest"
touch "$work/old"
[ ! -e "$manifest" ] || cp "$manifest" "$work/old"
while read -r file; do
    if [ -e "$file" ] || [ -L "$file" ]; then
        grep -qxF -- "$file" "$work/old" || echo "$file"
    fi
done <"$work/manifest" >"$work/foreign"
[ ! -s "$work/foreign" ] || fail "these files exist and are not from an earlier archive; nothing was installed.
$(cat "$work/foreign")
Move them away, then run install.sh again."

# uninstall.sh removes the folders that did not exist before.
created=$(sed 's|/[^/]*$||' "$work/manifest" | LC_ALL=C sort -u | while read -r folder; do
    while [ ! -d "$folder" ]; do
        echo "$folder"
        folder=${folder%/*}
    done
done)
is_writing=yes
mkdir -p "$installed"
printf '%s\n' "$created" | cat - "$installed/folders" 2>/dev/null | sed '/^$/d' | LC_ALL=C sort -u >"$work/folders"
cp "$work/folders" "$installed/folders"
cat "$work/old" "$work/manifest" >"$manifest.xcallbackd-new" && mv -f "$manifest.xcallbackd-new" "$manifest"
# All files are copied before the first one is replaced, so that a full disk leaves the earlier version as it is. Programs that
# run keep their file.
while read -r file; do
    [ -d "${file%/*}" ] || mkdir -p "${file%/*}"
    cp -p "$tree$file" "$file.xcallbackd-new"
done <"$work/manifest"
while read -r file; do mv -f "$file.xcallbackd-new" "$file"; done <"$work/manifest"
# Files of an earlier version that this one does not have. Files in /etc belong to the administrator.
grep -vxF -f "$work/manifest" "$work/old" | sed '\|^/etc/|d' | while read -r file; do
    case $file in
    */../*) ;;
    "$prefix"/* | "$data"/*) [ "$file" = "$manifest" ] || rm -f "$file" ;;
    esac
done
cp "$work/manifest" "$manifest.xcallbackd-new" && mv -f "$manifest.xcallbackd-new" "$manifest"
is_writing=no

if [ "$scope" = --system ]; then
    mkdir -p /etc/xcallbackd
    systemd-sysusers xcallbackd.conf \
        || echo "The users of the service are missing. Create 'xcallback' and 'xcallback-run' as system users, each with a group." >&2
    systemd-tmpfiles --create xcallbackd.conf || true
    journalctl --update-catalog >/dev/null 2>&1 || true
fi
# Without a manager, such as in a container, there is nothing to reload.
running=no
if $manager daemon-reload 2>/dev/null; then
    ! $manager --quiet is-active xcallbackd.service || running=yes
fi

echo "xcallback $("$prefix/bin/xcallback" --version) is installed below $prefix; $installed/uninstall.sh removes it."
[ "$running" = no ] || echo "The earlier version still runs. Restart it: $manager restart xcallbackd.service"
other=$(command -v xcallback || true)
case :$PATH: in
*":$prefix/bin:"*)
    [ "$other" = "$prefix/bin/xcallback" ] || echo "But 'xcallback' is $other here, which comes first in your PATH."
    ;;
*) printf 'Run this line now, and add it to ~/.profile:\n  export PATH="%s/bin:$PATH"\n' "$prefix" ;;
esac
if [ "$scope" = --system ]; then
    echo "Next: write /etc/xcallbackd/config.yaml (a sample: $prefix/share/doc/xcallbackd/examples/system.yaml), then run:"
    echo "  systemctl enable --now xcallbackd.socket"
    echo "Each user can set up a router of their own with: xcallback setup notes"
else
    echo "Next: try an example with 'xcallback setup notes', or write an action with 'xcallback init'."
fi
