import XCallbackLinux

/// The applications that the desktop's tools would start for a scheme.
package struct SchemeOwner: Hashable {
    /// The answer of a tool.
    package enum Answer: Hashable {
        /// The tool is not installed, or does not answer.
        case unknown
        /// There is no application.
        case none
        /// The application with a desktop entry of this name.
        case entry(String)
    }

    /// The scheme, in lower case.
    package let scheme: String
    /// The answer of xdg-mime, which xdg-open uses on desktops that it does not recognize.
    package let xdg: Answer
    /// The answer of gio, which GTK programs use, and xdg-open on some desktops.
    package let gio: Answer

    /// Creates the answers for a scheme.
    package init(scheme: String, xdg: Answer, gio: Answer) {
        self.scheme = scheme
        self.xdg = xdg
        self.gio = gio
    }

    /// Queries the installed tools.
    ///
    /// - Parameter scheme: The scheme, or the MIME type of files.
    package init(asking scheme: String) {
        let type = scheme.contains("/") ? scheme : "x-scheme-handler/\(scheme)"
        self.init(
            scheme: scheme, xdg: Self.answer(of: ["xdg-mime", "query", "default", type]) { Self.entry(ofXdg: $0) },
            gio: Self.answer(of: ["gio", "mime", type]) { Self.entry(ofGio: $0) })
    }

    /// Whether at least one tool answers, and none finds an application.
    package var hasNoHandler: Bool { allAnswer(.none) }

    /// Whether at least one tool answers, and all give the same answer.
    package func allAnswer(_ answer: Answer) -> Bool {
        let answers = [xdg, gio].filter { $0 != .unknown }
        return !answers.isEmpty && answers.allSatisfy { $0 == answer }
    }

    private static func answer(of tool: [String], reading: (String) -> String?) -> Answer {
        guard ToolRun.isInstalled(tool[0]) else { return .unknown }
        let run = ToolRun(asking: tool)
        guard case .exited = run.ending else { return .unknown }
        return reading(run.output).map { .entry($0) } ?? .none
    }

    /// Parses the output of xdg-mime: the name of an entry, or nothing.
    private static func entry(ofXdg output: String) -> String? {
        let line = output.split(separator: "\n").first.map(String.init)
        return line.flatMap { $0.hasSuffix(".desktop") ? $0 : nil }
    }

    /// Parses the first line of gio: `Default application for “x-scheme-handler/demo”: app.desktop`, or another sentence.
    private static func entry(ofGio output: String) -> String? {
        guard let word = output.split(separator: "\n").first?.split(separator: " ").last else { return nil }
        return word.hasSuffix(".desktop") ? String(word) : nil
    }
}
