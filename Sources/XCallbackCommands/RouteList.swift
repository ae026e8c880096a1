import XCallbackJSON
import XCallbackPipeline

/// The routes of a pipeline, as they are shown.
struct RouteList {
    private let routes: [Route]

    /// Creates the list, in the order of the configuration.
    init(_ pipeline: Pipeline) {
        // The pipeline keeps the routes by scheme.
        routes = pipeline.schemes.flatMap(\.routes).enumerated()
            .sorted { ($0.element.file, $0.element.line, $0.offset) < ($1.element.file, $1.element.line, $1.offset) }
            .map(\.element)
    }

    /// A table for people: a line of titles, then one line a route.
    var table: String {
        let titles = ["ROUTE", "ACCESS", "HANDLER", "MIDDLEWARE", "POLICIES", "PLACE"]
        let rows = [titles] + routes.map(\.cells)
        let widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.indices.dropLast().map { row[$0].padded(to: widths[$0]) + "  " }.joined() + (row.last ?? "")
        }.joined(separator: "\n")
    }

    /// An array for programs.
    var json: JSONValue { .array(routes.map(\.json)) }
}

extension Route {
    fileprivate var policyCount: Int { stages.policies.count + stages.awaitedPolicies.count }

    /// The file of the place.
    fileprivate var file: Substring { place[..<(place.lastIndex(of: ":") ?? place.endIndex)] }

    /// The line of the place: a number, so that line 10 comes after line 9.
    fileprivate var line: Int { Int(place[file.endIndex...].dropFirst()) ?? 0 }

    fileprivate var cells: [String] {
        [
            name, isPublic ? "public" : "private", stages.handlerName, String(stages.middleware.count),
            String(policyCount), place,
        ]
    }

    fileprivate var json: JSONValue {
        [
            "route": .string(name), "public": .bool(isPublic), "handler": .string(stages.handlerName),
            "middleware": .number(JSONNumber(stages.middleware.count)), "policies": .number(JSONNumber(policyCount)),
            "place": .string(place),
        ]
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 0))
    }
}
