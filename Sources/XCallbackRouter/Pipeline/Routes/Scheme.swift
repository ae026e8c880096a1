package import XCallbackURL
import XCallbackWire

/// A scheme of a pipeline, and how its URLs are read.
package struct SchemeSettings: Hashable, Sendable {
    /// The name, in lower case.
    package let name: String
    /// The syntax of its URLs.
    package let syntax: URLSyntax
    /// Whether a host other than `x-callback-url` is ignored, instead of being the first segment.
    package let ignoresHosts: Bool
    /// Why no URL of the scheme is answered, for clients; nil if routes answer.
    package var outage: String?

    /// Creates the settings of a scheme.
    package init(_ name: String, syntax: URLSyntax = .callback, ignoresHosts: Bool = false) {
        self.name = name
        self.syntax = syntax
        self.ignoresHosts = ignoresHosts
    }

    /// Returns the URL of an example of a conflict: a slash before each of the matched segments.
    func url(ofExample example: String) -> String {
        let start =
            switch syntax {
            case .callback: 0
            case .url: 2
            case .text: 1
            }
        return "\(name):\(example.dropFirst(start))"
    }
}

extension Pipeline {
    /// A scheme of the pipeline, with the routes of its actions.
    package final class Scheme: Sendable {
        /// The name and the settings.
        package let settings: SchemeSettings
        /// The routes of the scheme, in the order of the configuration.
        let routes: [Route]
        let table: RoutingTable
        /// The first segments that are text: desktops change the case of those that were a host.
        private let firstTexts: Set<[UInt8]>
        private let hasCapitals: Bool

        /// The name, in lower case.
        package var name: String { settings.name }

        init(_ settings: SchemeSettings, routes: [Route], table: RoutingTable) {
            self.settings = settings
            self.routes = routes
            self.table = table
            let isFolded = settings.syntax == .callback && !settings.ignoresHosts
            firstTexts = isFolded ? Set(routes.flatMap(\.pattern.firstTexts)) : []
            hasCapitals = firstTexts.contains { $0.contains(where: isCapital) }
        }

        /// Changes the action of a URL to what routes see: without an ignored host, or with a host spelled as in a route.
        @inline(__always)
        func prepare(_ url: inout ActionURL) {
            guard url.hostIsSegment else { return }
            if settings.ignoresHosts {
                url.ignoreHost()
            } else if let host = spelling(of: url.storage.bytes.span.extracting(url.segmentRanges[0])) {
                url.replaceHost(with: host.span)
            }
        }

        /// Returns the text in a route that differs from a host only in case; nil if there is none, or an equal one.
        @inline(__always)
        private func spelling(of host: Span<UInt8>) -> [UInt8]? {
            hasCapitals || host.indices.contains { isCapital(host[$0]) } ? search(host) : nil
        }

        @inline(never)
        private func search(_ host: Span<UInt8>) -> [UInt8]? {
            if firstTexts.contains([UInt8](copying: host)) { return nil }
            return firstTexts.filter { areEqualIgnoringCase($0.span, host) }.min { $0.lexicographicallyPrecedes($1) }
        }

        /// Finds the route of a request; returns the reason if there is none.
        @inline(__always)
        func match(_ request: inout Request, into captures: inout [Capture]) -> CallbackError? {
            if let offset = request.url.oddHostOffset {
                request.matchedRoute = nil
                return ActionURLError(.notAHostName, at: offset).callbackError
            }
            prepare(&request.url)
            guard let index = routeIndex(of: request.url, into: &captures) else {
                request.matchedRoute = nil
                return settings.outage.map { CallbackError(.unavailable, $0) } ?? .unknownAction
            }
            // The route is often that of the previous request, and counting a reference is an atomic operation.
            if request.matchedRoute !== routes[index] { request.matchedRoute = routes[index] }
            // What no rule and no question has seen must not reach a program.
            if request.url.hasPassword, !routes[index].declaredFacts.contains(.password) { return .passwordNotDeclared }
            if !routes[index].reach.isDisjoint(with: request.origin.bit) {
                return settings.syntax == .text ? fault(of: captures, in: request) : nil
            }
            return request.origin == .agent ? .notForAgents : .privateRoute
        }

        /// Returns the reason why the rest of a text is invalid: after a colon, it would be another one.
        @inline(never)
        private func fault(of captures: [Capture], in request: borrowing Request) -> CallbackError? {
            let bytes = request.url.storage.bytes
            guard captures.contains(where: { bytes[$0.range].starts(with: "//".utf8) }) else { return nil }
            return CallbackError(.badParameter, "The text after the route's own must not begin with '//'.")
        }

        /// Returns the position of the route of a prepared URL, or nil; also returns its captures, if the route uses them.
        @inline(__always)
        func routeIndex(of url: borrowing ActionURL, into captures: inout [Capture]) -> Int? {
            if settings.syntax != .callback { return otherRouteIndex(of: url, into: &captures) }
            return routeIndex(of: url, url.segmentRanges.span, into: &captures)
        }

        @inline(__always)
        private func routeIndex(
            of url: borrowing ActionURL, _ segments: Span<Range<Int>>, into captures: inout [Capture]
        ) -> Int? {
            let bytes = url.storage.bytes.span
            guard let match = table.match(bytes, segments: segments, scratch: &captures) else { return nil }
            if routes[match.route].chain.usesParameters {
                table.capture(match, bytes, segments, into: &captures)
            }
            return match.route
        }

        /// Finds the route of a URL of another syntax; of two readings, the one with more text at the start wins.
        @inline(never)
        private func otherRouteIndex(of url: borrowing ActionURL, into captures: inout [Capture]) -> Int? {
            var best: (index: Int, captures: [Capture])?
            for skipsSlashes in settings.syntax == .text ? [false, true] : [true] {
                let segments = url.segments(skippingSlashes: skipsSlashes)
                guard let index = routeIndex(of: url, segments.span, into: &captures) else { continue }
                let pattern = routes[index].pattern
                if pattern.beginsWithSlashes == skipsSlashes { continue }
                if let best, routes[best.index].pattern.literalCount >= pattern.literalCount { continue }
                best = (index, captures)
            }
            captures = best?.captures.map { Capture(index: $0.index, range: url.wholeRange($0.range)) } ?? []
            return best?.index
        }
    }
}

/// A few schemes, searched linearly for every URL.
struct SchemeList {
    /// The schemes in one buffer, without anything between them.
    private var text: [UInt8] = []
    private var ranges: [Range<Int>] = []
    /// A bit for each length of a scheme (modulo 64): most URLs have another one, and are compared with nothing.
    private var lengths: UInt64 = 0

    /// Creates a list of schemes.
    init(_ schemes: [String]) {
        for scheme in schemes {
            let start = text.count
            text += scheme.utf8
            ranges.append(start..<text.count)
            lengths |= 1 &<< UInt64(scheme.utf8.count)
        }
    }

    /// Whether a scheme is in the list, ignoring case.
    func contains(_ scheme: Span<UInt8>) -> Bool { firstIndex(of: scheme) != nil }

    /// The position of a scheme in the list, ignoring case.
    func firstIndex(of scheme: Span<UInt8>) -> Int? {
        guard lengths & 1 &<< UInt64(scheme.count) != 0 else { return nil }
        let text = text.span
        return ranges.firstIndex { $0.count == scheme.count && areEqualIgnoringCase(text.extracting($0), scheme) }
    }
}

private func isCapital(_ byte: UInt8) -> Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte }
