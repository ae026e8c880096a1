extension RoutePattern {
    /// Returns the continuation of a partial path, up to the next capture.
    ///
    /// - Parameter written: The segments, the last of which may be incomplete.
    /// - Returns: The path without its first slash; nil if the pattern does not match so far, or only a capture
    ///   follows.
    package func continuation(of written: [String]) -> String? {
        for alternative in alternatives where alternative.count >= written.count {
            let before = zip(written.dropLast(), alternative).allSatisfy { text, segment in
                Self.mayBe(Array(text.utf8), segment)
            }
            guard before, let last = written.last, case .text(let text)? = alternative[written.count - 1].first,
                text.starts(with: last.utf8)
            else { continue }
            var path = written.dropLast().map { "\($0)/" }.joined()
            for (index, segment) in alternative.enumerated().dropFirst(written.count - 1) {
                if index >= written.count { path += "/" }
                for part in segment {
                    guard case .text(let text) = part else { return path }
                    path += String(decoding: text, as: UTF8.self)
                }
            }
            return path
        }
        return nil
    }

    /// Whether the pattern answers a path, regardless of the types of its captures.
    ///
    /// - Parameter segments: The segments as written.
    /// - Returns: Whether the pattern answers the path.
    package func answers(_ segments: [String]) -> Bool {
        let bytes = segments.flatMap { Array($0.utf8) }
        var ranges: [Range<Int>] = []
        for segment in segments {
            let start = ranges.last?.upperBound ?? 0
            ranges.append(start..<start + segment.utf8.count)
        }
        var captures: [Capture] = []
        let table = try? RoutingTable([RoutingTable.Route(pattern: self)])
        return table?.match(bytes.span, segments: ranges.span, into: &captures) != nil
    }

    /// Whether a segment can match a text: it is the text, or has a capture.
    private static func mayBe(_ text: [UInt8], _ segment: Segment) -> Bool {
        if case .text(let literal)? = segment.first, segment.count == 1 { return literal == text }
        return !text.isEmpty
    }
}
