/// Whether the user's service manager starts the daemon.
struct ServiceCheck {
    /// What was found; nil where there is no service manager to ask.
    let finding: Finding?

    /// Asks the service manager.
    init() {
        let unit = "xcallbackd.socket"
        guard ToolRun.isInstalled("systemctl") else {
            finding = nil
            return
        }
        let run = ToolRun(
            asking: ["systemctl", "--user", "show", "--property=ActiveState", "--value", unit], limit: .seconds(5))
        guard run.ending == .exited(0) else {
            finding = Finding(.odd, "no service manager of yours runs: the daemon has to be started by hand")
            return
        }
        let state = run.output.split(separator: "\n").first.map(String.init) ?? "unknown"
        finding =
            state == "active"
            ? Finding(.fine, "the service manager starts the daemon (\(unit))")
            : Finding(
                .odd, "the service manager does not start the daemon: \(unit) is \(state)",
                advice: "say 'systemctl --user enable --now \(unit)'")
    }
}
