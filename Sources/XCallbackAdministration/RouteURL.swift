import XCallbackClient
import XCallbackRouter
package import XCallbackURL
import XCallbackWire

extension Client.CatalogueRoute {
    /// Returns the URL of the route with given parameters: captures in the path, all others in the query.
    ///
    /// - Parameter parameters: The parameters; a capture that is a list repeats.
    /// - Returns: The URL, with all but unreserved characters encoded.
    /// - Throws: ``RouteFillingError`` if no URL of the route can have these parameters.
    package func url(with parameters: QueryItems) throws(RouteFillingError) -> String {
        let pattern: RoutePattern
        do throws(RoutePatternError) {
            pattern = try RoutePattern(self.pattern, as: syntax)
        } catch {
            throw RouteFillingError(route: name, reason: "its pattern is of a different version: \(error)")
        }
        var query = QueryItems()
        var captures: [(name: String, values: [String])] = []
        for item in parameters {
            if let capture = pattern.captures.first(named: item.name) {
                captures.append((capture.name, item.value.map { [$0] } ?? []))
            } else {
                query.append(item.name, item.value)
            }
        }
        do {
            var url = ByteBuffer()
            url.append("\(scheme):".utf8.span)
            let segments = try pattern.segments(filledWith: captures)
            switch syntax {
            case .callback:
                url.append(segments: segments[...])
                if segments.isEmpty { url.append(UInt8(ascii: "/")) }
            case .url:
                // The first segment is the mark of a host, or of none.
                if segments.first == "//" { url.append(UInt8(ascii: "/")) }
                url.append(segments: segments.dropFirst())
            case .text:
                url.append((segments.first ?? "").utf8.span)
                if query.count > 0 { throw RouteFillingError(route: name, reason: "its URLs have no parameters") }
            }
            if query.count > 0 {
                url.append(UInt8(ascii: "?"))
                url.append(percentEncoding: query)
            }
            return String(decoding: url.contents, as: UTF8.self)
        } catch let error as RouteFillingError {
            throw error
        } catch {
            throw RouteFillingError(route: name, reason: "\(error)")
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func append(segments: ArraySlice<String>) {
        for segment in segments {
            append(UInt8(ascii: "/"))
            append(percentEncoding: segment.utf8.span)
        }
    }
}

/// The reason why a route has no URL with given parameters.
package struct RouteFillingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the route.
    package let route: String
    /// The reason, for people.
    package let reason: String

    /// The route and the reason.
    package var description: String { "\(route): \(reason)" }
}
