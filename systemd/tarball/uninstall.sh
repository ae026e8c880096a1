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

# install.sh writes the folder into the copy that it installs.
installed=
if [ -z "$installed" ]; then
    installed=$HOME/.local/share/xcallbackd
    [ "$(id -u)" != 0 ] || [ -e "$installed/installed" ] || installed=/usr/local/share/xcallbackd
fi
[ -e "$installed/installed" ] || fail "nothing is installed: '$installed/installed' is missing"
[ -w "$installed" ] || fail "'$installed' belongs to another user; run: sudo $0"
purge=no
case ${1-} in
'') ;;
--purge) purge=yes ;;
*) fail "usage: uninstall.sh [--purge]" ;;
esac

prefix=${installed%/share/xcallbackd}
if [ "$prefix" = /usr/local ]; then
    manager=systemctl
    set -- /etc/xcallbackd
else
    manager='systemctl --user'
    # The configuration, the programs that 'xcallback init' wrote, and the record of 'xcallback setup'.
    set -- "${XDG_CONFIG_HOME:-$HOME/.config}/xcallbackd" "${XDG_DATA_HOME:-$HOME/.local/share}/xcallbackd" \
        "${XDG_STATE_HOME:-$HOME/.local/state}/xcallbackd"
    "$prefix/bin/xcallback" unregister >/dev/null 2>&1 || true
    # Without entries, the cache of them is one line.
    applications=${XDG_DATA_HOME:-$HOME/.local/share}/applications
    [ "$(cat "$applications/mimeinfo.cache" 2>/dev/null)" != "[MIME Cache]" ] || rm "$applications/mimeinfo.cache"
    rmdir "$applications" 2>/dev/null || true
fi

units='xcallbackd.socket xcallbackd-agent.socket xcallbackd.service'
[ "$manager" != systemctl ] || units='xcallbackd.socket xcallbackd.service xcallbackd-run.socket'
for unit in $units; do
    $manager --quiet disable --now "$unit" 2>/dev/null || true
done

# A script that is being read can be deleted.
folders=$(LC_ALL=C sort -r "$installed/folders")
while read -r file; do
    rm -f "$file"
done <"$installed/installed"
rm -f "$installed/folders"
[ "$manager" != systemctl ] || rm -rf /run/xcallbackd
$manager daemon-reload 2>/dev/null || true

echo "xcallbackd is removed."
for folder; do
    [ "$purge" = no ] || rm -rf "$folder"
    if rmdir "$folder" 2>/dev/null || [ ! -e "$folder" ]; then
        rmdir "${folder%/*}" 2>/dev/null || true
    else
        echo "Your files in $folder stay; --purge removes them as well."
    fi
done
for folder in $folders; do
    rmdir "$folder" 2>/dev/null || true
done
# Folders that an earlier removal kept for files that are gone now, and those of systemctl for what was enabled.
if [ "$manager" != systemctl ]; then
    config=${XDG_CONFIG_HOME:-$HOME/.config}
    for folder in "$prefix/bin" "$prefix/share" "$prefix" "$config/systemd/user" "$config/systemd" "$config"; do
        rmdir "$folder" 2>/dev/null || true
    done
fi
