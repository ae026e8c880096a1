#!/bin/sh
# Installs xcallbackd from an unpacked archive: for the current user below ~/.local, or as root for the system below
# /usr/local. A later version replaces an earlier one. uninstall.sh, which is installed as well, removes all of it.
#
#   ./install.sh [--user | --system]      --user is the default, and --system is root's
set -eu
umask 022
cd "$(dirname "$0")"

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
    [ -d "${HOME:-}" ] || fail "\$HOME is not a folder: '${HOME:-}'"
    prefix=$HOME/.local
    data=${XDG_DATA_HOME:-$prefix/share}
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
*[!A-Za-z0-9_./+@-]*) fail "'$prefix' and '$data' may have letters, digits, and _./+@- only, because unit files name them" ;;
esac

# The programs need glibc and libsystemd. If they cannot run, the loader prints the reason.
for program in xcallbackd xcallback; do
    files/usr/local/bin/$program --version >/dev/null \
        || fail "$program does not run here: it needs $(uname -m), glibc 2.34 and libsystemd (see the line above);
nothing was installed"
done

# The files as this scope wants them, in a folder with the structure of the root.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree$prefix" "$tree$data"
if [ "$scope" = --system ]; then
    cp -R files/. "$tree"
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
sed "s|^installed=.*|installed=$installed|" uninstall.sh >"$tree$installed/uninstall.sh"
chmod 755 "$tree$installed/uninstall.sh"

# Files of an earlier version that this one does not have go away. Files in /etc belong to the administrator.
manifest=$installed/installed
(cd "$tree" && find ".$prefix" ".$data" -type f | sed 's|^\.||'; printf '%s\n' "$manifest") | LC_ALL=C sort -u >"$tree/manifest"
if [ -e "$manifest" ]; then
    grep -vxF -f "$tree/manifest" "$manifest" | while read -r file; do rm -f "$file"; done
fi
cp "$tree/manifest" "$tree$manifest"
# uninstall.sh removes the folders that did not exist before.
created=$(cat "$installed/folders" 2>/dev/null || true)
created=$(
    echo "$created"
    sed 's|/[^/]*$||' "$tree/manifest" | LC_ALL=C sort -u | while read -r folder; do
        while [ ! -d "$folder" ]; do
            echo "$folder"
            folder=${folder%/*}
        done
    done
)
# tar replaces the files of programs that run, and does not write into them.
sed 's|^/||' "$tree/manifest" | tar -C "$tree" --owner=0 --group=0 -cf - --no-recursion --files-from=- \
    | tar -C / --no-same-owner --keep-directory-symlink -xf -
echo "$created" | sed '/^$/d' | LC_ALL=C sort -u >"$installed/folders"

if [ "$scope" = --system ]; then
    mkdir -p /etc/xcallbackd
    systemd-sysusers xcallbackd.conf
    systemd-tmpfiles --create xcallbackd.conf || true
    journalctl --update-catalog >/dev/null 2>&1 || true
fi
# Without a manager, such as in a container, there is nothing to reload.
if $manager daemon-reload 2>/dev/null; then
    $manager --quiet is-active xcallbackd.service && running=yes || running=no
else
    running=no
fi

version=$("$prefix/bin/xcallback" --version)
echo "xcallback $version is installed below $prefix; $installed/uninstall.sh removes it."
[ "$running" = no ] || echo "The earlier version still runs. Restart it: $manager restart xcallbackd.service"
case :$PATH: in
*":$prefix/bin:"*) ;;
*) printf 'Run this line now, and add it to ~/.profile:\n  export PATH="%s/bin:$PATH"\n' "$prefix" ;;
esac
if [ "$scope" = --system ]; then
    echo "Next: write /etc/xcallbackd/config.yaml (a sample: $prefix/share/doc/xcallbackd/examples/system.yaml), then run:"
    echo "  systemctl enable --now xcallbackd.socket"
    echo "Each user can set up a router of their own with: xcallback setup notes"
else
    echo "Next: try an example with 'xcallback setup notes', or write an action with 'xcallback init'."
fi
