import XCallbackBuiltIns
import XCallbackClient
import XCallbackMCP
import XCallbackWire

/// Reports what assistants reach in each file, and how much text of it they read.
enum AssistantsCheck: DoctorCheck {
    static let name = "assistants"
    /// The number of names shown for each file.
    private static let shownCount = 10
    /// The number of bytes of text above which a note follows: a model reads them with every question.
    private static let muchText = 16_384

    static func findings(in examination: Examination) -> [Finding] {
        let ofFiles = examination.configuration.flatMap { try? [Client.Route](reading: $0.routesJSON) }
        let offered = (examination.routes ?? ofFiles ?? []).filter { $0.agentName != nil }
        if offered.isEmpty { return [] }
        let files = Dictionary(grouping: offered) { route in
            // A line number follows the file.
            route.place.map { $0.split(separator: ":").dropLast().joined(separator: ":") } ?? ""
        }
        let found = files.sorted { $0.key < $1.key }.map { file, routes in
            let names = routes.compactMap(\.agentName).sorted()
            let rest = names.count > shownCount ? " and \(names.count - shownCount) more" : ""
            let place = file.isEmpty ? "" : " of \(file)"
            let list = names.prefix(shownCount).joined(separator: ", ")
            return Finding(
                .good, of: file.isEmpty ? "agent" : file,
                "assistants reach \(names.count == 1 ? "1 action" : "\(names.count) actions")\(place): \(list)\(rest)")
        }
        // The daemon's routes lack the data for tools.
        guard let values = examination.configuration?.routesJSON.elements else { return found }
        let size = values.compactMap(Tool.init).reduce(0) { $0 + $1.description.bytes.count }
        let text = "all tools together have \(size) bytes, which a model reads with each question"
        guard size > muchText else { return found + [Finding(.good, of: "agent", text)] }
        return found + [
            Finding(
                .note, of: "agent", text,
                advice: "'xcallback mcp --scheme SCHEME' offers only the tools of one scheme")
        ]
    }
}
