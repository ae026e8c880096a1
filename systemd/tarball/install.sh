#!/bin/sh
# Installs xcallbackd from an unpacked archive: for the current user below ~/.local, or as root for the system below
# /usr/local. A later version replaces an earlier one. uninstall.sh, which is installed as well, removes all of it.
#
#   ./install.sh [--user | --system]      --user is the default, and --system is root's
set -eu
umask 022
# Sort and match names as bytes.
export LC_ALL=C
CDPATH='' cd -P -- "$(dirname -- "$(readlink -f -- "$0")")"

# The build of the archive writes it.
architecture=@ARCHITECTURE@

notice=
fail() {
    printf "install.sh: %s\n" "$1" >&2
    notice=
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
    [ -d "${HOME:-}" ] || fail "\$HOME must be a folder: '${HOME:-}'"
    prefix=$HOME/.local
    data=$prefix/share
    # Only absolute paths count (XDG Base Directory Specification).
    case ${XDG_DATA_HOME:-} in /*) [ "$XDG_DATA_HOME" -ef "$data" ] || data=$XDG_DATA_HOME ;; esac
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
# Characters that quotes do not protect in unit files, in desktop entries, or in these scripts.
case $prefix$data/ in
[!/]* | */../* | *[\"\'\`\\\$%\&\|]* | *[[:cntrl:]]*)
    fail "unit files cannot name '$prefix' and '$data': paths must be absolute, without '..', quotes, control characters and any of
\\\$%&|; nothing was installed. Install it for the system: sudo ./install.sh"
    ;;
esac
prefix=$(echo "$prefix" | sed 's|//*|/|g')
data=$(echo "$data" | sed 's|//*|/|g; s|/$||')
installed=$prefix/share/xcallbackd
manifest=$installed/installed
# Only the user may own these folders: in a folder of another user, symbolic links could point root's writes anywhere.
[ "$scope" = --system ] || for folder in "${prefix%/*}" "$data"; do
    while [ ! -e "$folder/" ]; do folder=${folder%/*}; done
    [ -d "$folder/" ] && [ -O "$folder/" ] && [ -w "$folder/" ] \
        || fail "'$folder/' must be a writable folder that the current user owns; nothing was installed"
done

[ -d files/usr/local ] || fail "the folder 'files' of the archive is missing in '$PWD'"
[ "$(uname -m)" = "$architecture" ] || fail "this archive is for $architecture, and this machine is $(uname -m)"
# The loader prints the reason if they cannot run.
for program in xcallbackd xcallback; do
    files/usr/local/bin/$program --version >/dev/null \
        || fail "$program does not run from '$PWD' (see the line above): it needs glibc 2.36, libsystemd and libyaml; nothing was installed"
done

# Concurrent installations would move each other's files. The kernel releases the lock when the process ends.
exec 9<"${prefix%/*}/"
! command -v flock >/dev/null || flock -n 9 2>/dev/null || [ $? != 1 ] \
    || fail "another install.sh or uninstall.sh is running; nothing was installed. Run install.sh again after it ends."

# The files of this scope, in a folder with the structure of the root. Folders that killed installations left are removed.
temporary=${TMPDIR:-/tmp}
for folder in "$temporary"/xcallbackd-install"$scope".*; do
    [ ! -d "$folder" ] || [ -L "$folder" ] || [ ! -O "$folder" ] || rm -rf "$folder"
done
elsewhere="nothing was installed. If '$temporary' is full or read-only, choose another folder: TMPDIR=FOLDER ./install.sh"
work=$(mktemp -d "$temporary/xcallbackd-install$scope.XXXXXX") || fail "$elsewhere"
notice=$elsewhere
tree=$work/tree
leave() {
    status=$?
    trap - EXIT
    trap '' HUP INT TERM
    set +e
    if [ "$status" != 0 ]; then
        [ ! -e "$work/manifest" ] || sed 's|$|.xcallbackd-new|' "$work/manifest" | tr '\n' '\0' | xargs -0 rm -f 2>/dev/null
        rm -f "$installed"/*.xcallbackd-new 2>/dev/null
        [ -z "$notice" ] || echo "install.sh: $notice" >&2
    fi
    rm -rf "$work"
    exit "$status"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$tree$prefix" "$tree$data"
# Prints the first error only: on a full disk, each file fails.
copy() { errors=$(cp -R "$@" 2>&1) || { echo "$errors" | sed 1q >&2; exit 1; }; }
if [ "$scope" = --system ]; then
    copy files/usr "$tree"
else
    copy files/usr/local/bin files/usr/local/share "$tree$prefix"
    # 'xcallback register' writes the desktop entry of a user.
    rm -r "$tree$prefix/share/applications"
    mkdir -p "$tree$data/systemd"
    copy files/usr/local/lib/systemd/user "$tree$data/systemd"
    if [ "$data" != "$prefix/share" ]; then
        for folder in bash-completion fish; do
            mv "$tree$prefix/share/$folder" "$tree$data"
        done
    fi
    quote=
    case $prefix in *' '*) quote='"' ;; esac
    sed -i "s|/usr/local/bin/\([a-z]*\)|$quote$prefix/bin/\1$quote|" "$tree$data"/systemd/user/*.service
fi
sed "s|^installed=.*|installed='$installed'|; s|^data=.*|data='$data'|" uninstall.sh >"$tree$installed/uninstall.sh"
# Whatever umask the archive was unpacked with.
chmod -R u=rwX,go=rX "$tree"
chmod 755 "$tree$installed/uninstall.sh"

# Step by step: in a pipeline, a tool that fails would go unnoticed, and a short list would remove files.
(cd "$tree" && find . -type f) >"$work/found"
sed 's|^\.||' "$work/found" >"$work/unsorted"
sort "$work/unsorted" >"$work/manifest"
touch "$work/old"
earlier=$(sed -n "s/^data='*\([^']*\)'*$/\1/p" "$installed/uninstall.sh" 2>/dev/null || true)
[ ! -e "$manifest" ] || { tr -d '\000' <"$manifest"; echo; } | sed '/^$/d' >"$work/old"

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
while read -r file; do
    if [ -e "$file" ] || [ -L "$file" ]; then
        { is_ours "$file" && grep -qxF -- "$file" "$work/old"; } || echo "$file"
    fi
done <"$work/manifest" >"$work/foreign"
[ ! -s "$work/foreign" ] || fail "these files exist and are not from an earlier archive; nothing was installed.
$(cat "$work/foreign")
Move them away, then run install.sh again."

# uninstall.sh removes the folders that did not exist before.
echo "$installed" >"$work/created"
sed 's|/[^/]*$||' "$work/manifest" | sort -u | while read -r folder; do
    while [ ! -d "$folder/" ]; do
        echo "$folder" >>"$work/created"
        folder=${folder%/*}
    done
    [ -w "$folder/" ] || echo "$folder/"
done >"$work/closed"
[ ! -s "$work/closed" ] || fail "no permission to write to these folders; nothing was installed.
$(sort -u "$work/closed" | sed 5q)"
notice="the installation is incomplete (see the line above). If the disk is full, free some space; then run install.sh again."
replace() {
    cp "$1" "$2.xcallbackd-new"
    mv -f "$2.xcallbackd-new" "$2"
}
mkdir -p "$installed"
sort -u "$work/old" "$work/manifest" >"$work/both"
replace "$work/both" "$manifest"
cat "$work/created" "$installed/folders" 2>/dev/null | sort -u >"$work/folders"
replace "$work/folders" "$installed/folders"
# All files are copied before the first one is replaced, so that a full disk leaves the earlier version as it is. Programs that
# run keep their file.
while read -r file; do
    [ -d "${file%/*}" ] || mkdir -p "${file%/*}"
    cp -p "$tree$file" "$file.xcallbackd-new"
done <"$work/manifest"
while read -r file; do mv -f "$file.xcallbackd-new" "$file"; done <"$work/manifest"
# Files that only the earlier version has, or that it has elsewhere because XDG_DATA_HOME was different.
grep -vxF -f "$work/manifest" "$work/old" | (
    data=${earlier:-$data}
    while read -r file; do
        is_ours "$file" && [ "$file" != "$manifest" ] || continue
        rm -f "$file" "$file.xcallbackd-new"
        folder=${file%/*}
        while grep -qxF "$folder" "$work/folders" && rmdir "$folder" 2>/dev/null; do folder=${folder%/*}; done
    done
)
replace "$work/manifest" "$manifest"
notice=

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

version=$("$prefix/bin/xcallback" --version) \
    || fail "the files are installed, but programs do not run from '$prefix/bin' (see the line above): is it 'noexec'?"
echo "xcallback $version is installed below $prefix; $installed/uninstall.sh removes it."
[ "$running" = no ] || echo "The earlier version still runs. Restart it: $manager restart xcallbackd.service"
other=$(command -v xcallback || true)
case :$PATH: in
*":$prefix/bin:"*)
    [ "$other" = "$prefix/bin/xcallback" ] || echo "But 'xcallback' is $other here, which comes first in your PATH."
    ;;
*)
    # The file that new shells of the user read.
    file='~/.profile'
    case ${SHELL-} in
    */zsh) file='~/.zshrc' ;;
    */bash) [ ! -e "${HOME-}/.bash_profile" ] || file='~/.bash_profile' ;;
    esac
    case ${SHELL-} in
    */fish) printf 'Run this line once:\n  fish_add_path "%s/bin"\n' "$prefix" ;;
    *) printf 'Run this line now, and add it to %s:\n  export PATH="%s/bin:$PATH"\n' "$file" "$prefix" ;;
    esac
    ;;
esac
if [ "$scope" = --system ]; then
    echo "Next: write /etc/xcallbackd/config.yaml (a sample: $prefix/share/doc/xcallbackd/examples/system.yaml), then run:"
    echo "  systemctl enable --now xcallbackd.socket"
    echo "Each user can begin with: xcallback setup todo"
else
    echo "Next: set up a to-do list with 'xcallback setup todo', or write an action with 'xcallback init'."
fi
