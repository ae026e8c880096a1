package import XCallbackWire

/// How far a request is that waits for its handler.
public struct RequestProgress: Hashable, Sendable, CustomStringConvertible {
    /// What the handler does at the moment.
    public let text: String
    /// How much is done, of ``total``; nil if that is unknown.
    public let done: Int?
    /// How much there is to do; nil if that is unknown.
    public let total: Int?
    /// The request, as the client has learned it from the daemon; nil elsewhere.
    package var requestID: String?

    /// Creates progress.
    ///
    /// - Parameters:
    ///   - text: What the handler does at the moment.
    ///   - done: How much is done.
    ///   - total: How much there is to do.
    package init(_ text: String, done: Int? = nil, of total: Int? = nil) {
        (self.text, self.done, self.total) = (text, done, total)
    }

    /// Reads a line that a program writes: `[3/10] text`, `30% text`, or text.
    package init(line: some Collection<UInt8>) {
        // Programs align columns, and clear the rest of a longer line, with blanks.
        let parts = line.split { [UInt8(ascii: " "), UInt8(ascii: "\t")].contains($0) }
        let line = String(decoding: Array(parts.joined(separator: " ".utf8)), as: UTF8.self)
        let words = line.split(separator: " ", maxSplits: 1)
        let text = words.count == 2 ? String(words[1]) : ""
        if let (done, total) = words.first.flatMap(Self.parts), total > 0, 0...total ~= done {
            self.init(text, done: done, of: total)
        } else {
            self.init(line)
        }
    }

    /// Returns the two numbers of `[3/10]` or `30%`.
    private static func parts(of word: Substring) -> (done: Int, total: Int)? {
        if word.last == "%" { return Int(word.dropLast()).map { ($0, 100) } }
        let parts = word.dropFirst().dropLast().split(separator: "/", omittingEmptySubsequences: false)
        guard word.first == "[", word.last == "]", parts.count == 2, let done = Int(parts[0]), let total = Int(parts[1])
        else { return nil }
        return (done, total)
    }

    /// One line for people, such as `3 of 10: copying`.
    public var description: String {
        guard let done, let total else { return text }
        return (total == 100 ? "\(done) %" : "\(done) of \(total)") + (text.isEmpty ? "" : ": \(text)")
    }

    /// How far the request is, and nothing that could repeat its values.
    package var withoutText: RequestProgress {
        var copy = RequestProgress("", done: done, of: total)
        copy.requestID = requestID
        return copy
    }

    /// The parameters of a reply with progress.
    package var reply: JSONValue {
        var members = [JSONValue.Member("text", .string(text))]
        if let done, let total {
            members += [.init("done", .number(JSONNumber(done))), .init("total", .number(JSONNumber(total)))]
        }
        return ["progress": .object(members)]
    }

    /// The number of bytes that it takes while it waits to be sent.
    package var byteCount: Int { text.utf8.count + 64 }
}

/// Receives the progress of a request.
package protocol ProgressReceiver: Sendable {
    /// Takes the newest progress; it does not wait.
    func receive(_ progress: RequestProgress)
}

extension Request {
    /// Reports what the handler does, and how far it is, to callers that ask for progress, such as `xcallback open`.
    ///
    ///     request.progress("Copying \(file)", done: 3, of: 10)
    ///
    /// The newest report is sent, a few times a second. It never waits, and does nothing after the answer.
    ///
    /// - Parameters:
    ///   - text: What the handler does at the moment.
    ///   - done: How much is done.
    ///   - total: How much there is to do.
    public func progress(_ text: String, done: Int? = nil, of total: Int? = nil) {
        progressReceiver?.receive(RequestProgress(text, done: done, of: total))
    }
}
