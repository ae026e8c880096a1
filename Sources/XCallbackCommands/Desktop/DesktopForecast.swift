package import XCallbackClient

extension SchemeOwner {
    /// Whether at least one tool answers, and all that answer would start the command.
    package var isOurs: Bool { allAnswer(.entry(DesktopEntry.name)) }
}

extension DesktopSession {
    /// Predicts how URLs of a scheme open in the session, for people.
    ///
    /// - Parameter owner: The applications that the tools report.
    /// - Returns: One row for each way: the opener, and its effect.
    package func forecast(_ owner: SchemeOwner) -> [[String]] {
        let xdg = forecastOfXdgOpen(owner)
        let gio = Self.text(owner.gio, missing: "is not installed (package libglib2.0-bin)")
        if DesktopEntry.webSchemes.contains(owner.scheme) {
            return [["xdg-open", xdg], ["gio open", gio], ["a browser", "opens the links of its pages itself"]]
        }
        let browser = owner.isOurs ? "asks you first, then opens xcallback" : "asks you first, then does the same"
        return [["xdg-open", xdg], ["gio open", gio], ["a browser", browser]]
    }

    private func forecastOfXdgOpen(_ owner: SchemeOwner) -> String {
        switch xdgOpen {
        case .missing: "is not installed (package xdg-utils)"
        case .asksXdgMime: Self.text(owner.xdg, missing: "unknown: xdg-mime is not installed")
        case .asksGio: Self.text(owner.gio, missing: "unknown: it asks gio, which is not installed")
        case .asksKDE: "leaves it to KDE, which reads the same files"
        case .lacksVersion: "starts nothing: this is a KDE session, but $KDE_SESSION_VERSION is not set"
        case .noDesktop:
            "starts nothing: this session has neither a desktop ($XDG_CURRENT_DESKTOP) nor a display ($DISPLAY)"
        }
    }

    private static func text(_ answer: SchemeOwner.Answer, missing: String) -> String {
        switch answer {
        case .unknown: missing
        case .none: "starts nothing: no application has the scheme"
        case .entry(DesktopEntry.name): "starts xcallback"
        case .entry(let name): "starts another application (\(name))"
        }
    }
}
