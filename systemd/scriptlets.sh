# The steps that the scripts of Debian's package and the scriptlets of RPM's share: 'make deb' and 'make rpm' put them into
# each. They enable nothing, because there is nothing to serve before the administrator has written routes.
conffile=/etc/xcallbackd/config.yaml
saved=/run/xcallbackd-package

# Changes units as the policy of the machine allows, where it has one.
invoke() {
    if command -v deb-systemd-invoke >/dev/null; then deb-systemd-invoke "$@"; else systemctl "$@"; fi >/dev/null || true
}

# Before the files of another version are unpacked: copies units that restart only if they change. A copy from an upgrade that
# was not completed is the one that systemd uses.
save_units() {
    [ -d /run/systemd/system ] && [ ! -d "$saved" ] || return 0
    mkdir "$saved"
    for unit in xcallbackd.socket xcallbackd-run.socket; do
        cp "/usr/lib/systemd/system/$unit" "$saved" 2>/dev/null || true
    done
}

# Whether this version has another unit file than the saved one.
is_changed() {
    [ -e "$saved/$1" ] && ! cmp -s "$saved/$1" "/usr/lib/systemd/system/$1"
}

make_users() {
    systemd-sysusers xcallbackd.conf
    systemd-tmpfiles --create xcallbackd.conf || true
}

# The service managers read the units again, so that a restart has the new ones; daemons of users run on until their users
# restart them. Debian 12's deb-systemd-invoke would tell the system's manager only.
reload_managers() {
    [ -d /run/systemd/system ] || return 0
    systemctl --system daemon-reload >/dev/null || true
    for user in $(systemctl list-units --plain --no-legend 'user@*.service' | sed -n 's/^user@\([0-9]*\)\.service.*/\1/p'); do
        systemctl --user --machine="$user@" daemon-reload >/dev/null 2>&1 || true
    done
}

# Runs a command with the user and the groups of the service's process.
as_service() {
    user=$(awk '$1 == "Uid:" { print $3 }' "$process/status")
    group=$(awk '$1 == "Gid:" { print $3 }' "$process/status")
    groups=$(awk '$1 == "Groups:" { for (i = 2; i <= NF; i++) printf "%s%s", (i > 2 ? "," : ""), $i }' "$process/status")
    if [ "$groups" ]; then groups=--groups=$groups; else groups=--clear-groups; fi
    setpriv --reuid="$user" --regid="$group" "$groups" -- "$@"
}

# Checks the configuration with the new program, as the user of the service: that user must have access to all files, and
# may own them.
check() {
    process=/proc/$(systemctl show --property=MainPID --value xcallbackd.service)
    case $(readlink "$process/exe") in
    */xcallbackd | */xcallbackd' (deleted)') ;;
    # A drop-in runs another program, which may not know --check.
    *) return 0 ;;
    esac
    if [ "$(tr -cd '\0' <"$process/cmdline" | wc -c)" -gt 1 ]; then
        # A drop-in adds options, such as --config.
        { tail -z -n +2 "$process/cmdline"; printf -- '--check\0'; } | as_service xargs -0 xcallbackd
    elif [ -e /usr/lib/xcallbackd ]; then
        # Configurations of packages. --config ignores them, and without it, only root's process reads them.
        xcallbackd --check
    else
        as_service xcallbackd --config "$conffile" --check
    fi
}

# Restarts what runs, and starts nothing. A restart of the socket restarts the service as well. A configuration that this
# version rejects leaves the earlier version running.
restart() {
    unit=xcallbackd.service
    if is_changed xcallbackd.socket; then unit=xcallbackd.socket; fi
    if is_changed xcallbackd-run.socket; then invoke try-restart xcallbackd-run.socket; fi
    if systemctl --quiet is-active xcallbackd.service && ! faults=$(check 2>&1); then
        cat >&2 <<TEXT
$faults
xcallbackd: the new version rejects this configuration, so the earlier version keeps running.
xcallbackd: fix the faults above, then run: systemctl restart $unit
TEXT
        return
    fi
    invoke try-restart "$unit"
}

# Stops everything, detached programs as well.
stop_all() {
    [ -d /run/systemd/system ] || return 0
    invoke stop xcallbackd.socket xcallbackd.service xcallbackd-run.socket 2>/dev/null
    systemctl --quiet stop 'xcallbackd-run@*.service' || true
    if command -v deb-systemd-invoke >/dev/null; then
        deb-systemd-invoke --user stop xcallbackd.socket xcallbackd.service >/dev/null 2>&1 || true
    else
        for user in $(systemctl list-units --plain --no-legend 'user@*.service' | sed -n 's/^user@\([0-9]*\)\.service.*/\1/p'); do
            systemctl --user --machine="$user@" stop xcallbackd.socket xcallbackd.service >/dev/null 2>&1 || true
        done
    fi
}

# After the files are removed.
clean_up() {
    if [ -d /run/systemd/system ]; then
        systemctl --quiet reset-failed xcallbackd.socket xcallbackd.service xcallbackd-run.socket 2>/dev/null || true
    fi
    rm -rf /run/xcallbackd "$saved"
}

# Names the users whose daemons run on with the earlier program.
name_running() {
    users=$(for process in /proc/[0-9]*; do
        [ "$(readlink "$process/exe")" != "/usr/bin/xcallbackd (deleted)" ] || stat -c '%u %U' "$process"
    done 2>/dev/null | awk '$1 >= 1000 { print $2 }' | sort -u)
    [ -z "$users" ] || cat <<TEXT
xcallbackd: the earlier version runs on for $(echo $users); each of them starts the new one: run systemctl --user restart xcallbackd.service
TEXT
}

# Names the users whose homes have entries that start the daemon or open links with it.
name_users() {
    users=$(getent passwd | while IFS=: read -r name _ uid _ _ home _; do
        [ "$uid" -ge 1000 ] && [ "$uid" -lt 60000 ] || continue
        for entry in "$home"/.config/systemd/user/*.wants/xcallbackd* "$home/.config/autostart/xcallbackd.desktop" \
            "$home/.local/share/applications/org.xcallback.Router.desktop" "$home"/.local/share/applications/xcallback-*.desktop; do
            if [ -e "$entry" ] || [ -L "$entry" ]; then echo "$name" && break; fi
        done
    done)
    [ -z "$users" ] || cat <<TEXT
xcallbackd: links of users stay in the homes of $(echo $users); each of them deletes these: run find ~/.config/systemd/user/ -path '*.wants/xcallbackd*' -delete; find ~/.local/share/applications/ -name 'xcallback-*.desktop' -exec grep -q ^X-XCallback-Route= {} \; -delete; find ~/.config/ -maxdepth 1 -name mimeapps.list -exec sed -i --follow-symlinks -e 's/org\.xcallback\.Router\.desktop;*//' -e '/=$/d' {} +; find ~/.config/ -maxdepth 4 -path '*/xcallbackd/routes.d/gate/gate' -exec {} remove \;; rm -f ~/.config/autostart/xcallbackd.desktop ~/.local/share/applications/org.xcallback.Router.desktop
TEXT
}
