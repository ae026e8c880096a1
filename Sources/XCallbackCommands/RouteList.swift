import XCallbackJSON
import XCallbackPipeline

/// The routes of a pipeline, as they are shown.
struct RouteList {
    private let routes: [Route]

    /// Creates the list, in the order of the configuration.
    init(_ pipeline: Pipeline) {
        routes = pipeline.routes
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
