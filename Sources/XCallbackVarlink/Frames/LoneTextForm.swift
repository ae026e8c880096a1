import XCallbackJSON

/// How most clients call a method with one text and nothing else: `{"method":"a.b.Open","parameters":{"url":"…"}}`.
///
/// Such a message is told by its bytes, which takes a fraction of the time of reading it as JSON. Whatever is written in
/// another way, is read.
struct LoneTextForm: Sendable {
    /// The method.
    let entry: Int
    /// All before the text.
    private let beginning: [UInt8]
    /// Where the name of the parameter stands.
    let name: Range<Int>

    /// Creates the form of a method.
    ///
    /// - Parameters:
    ///   - entry: The method.
    ///   - method: Its name, with that of its interface.
    ///   - parameter: The parameter.
    init(entry: Int, method: String, parameter: String) {
        self.entry = entry
        let start = Array("{\"method\":\"\(method)\",\"parameters\":{\"".utf8)
        name = start.count..<start.count + parameter.utf8.count
        beginning = start + Array("\(parameter)\":\"".utf8)
    }

    /// Where the text of a message stands, if that is plain; nil if the message does not begin and end as the form.
    @inline(__always)
    func text(in message: Span<UInt8>) -> Range<Int>? {
        let (start, end) = (beginning.count, message.count - 3)
        guard start <= end, message.starts(with: beginning.span), message.extracting(end...).isText("\"}}")
        else { return nil }
        return start..<end
    }
}
