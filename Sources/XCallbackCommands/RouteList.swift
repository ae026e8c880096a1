import XCallbackBuiltIns
import XCallbackJSON
import XCallbackPipeline

/// The routes of a pipeline, as they are shown.
struct RouteList {
    private let pipeline: Pipeline

    /// Creates the list, in the order of the configuration.
    init(_ pipeline: Pipeline) {
        self.pipeline = pipeline
    }

    /// A tree for people: each scheme with its routes below, in columns with titles.
    var tree: String {
        var rows = [["ROUTE", "ACCESS", "MIDDLEWARE", "POLICIES", "HANDLER", "PLACE"]]
        for scheme in pipeline.schemes {
            rows.append([scheme.name])
            rows += pipeline.routes.filter { $0.scheme == scheme.name }.map(\.cells)
        }
        return TextTable(rows).text
    }

    /// An array for programs.
    var json: JSONValue { .array(pipeline.routes.map { $0.json() }) }
}

extension Route {
    fileprivate var cells: [String] {
        [
            "  \(patternText)", isPublic ? "public" : "private", Self.list(stages.middlewareNames),
            Self.list(policyNames), stages.handlerName, place,
        ]
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "-" : names.joined(separator: ", ")
    }
}
