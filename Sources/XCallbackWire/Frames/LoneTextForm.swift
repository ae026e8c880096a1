/// The usual form of a call whose only parameter is a string: `{"method":"a.b.Open","parameters":{"url":"…"}}`.
///
/// Such a message is recognized by its bytes, which takes a fraction of the time of parsing JSON. Messages in any other
/// form are parsed.
struct LoneTextForm: Sendable {
    /// The method.
    let entry: Int
    /// The bytes before the string.
    private let beginning: [UInt8]
    /// The range of the parameter's name.
    let name: Range<Int>

    /// Creates the form of a method.
    ///
    /// - Parameters:
    ///   - entry: The method.
    ///   - method: The name of the method, including the interface.
    ///   - parameter: The parameter.
    init(entry: Int, method: String, parameter: String) {
        self.entry = entry
        let start = Array("{\"method\":\"\(method)\",\"parameters\":{\"".utf8)
        name = start.count..<start.count + parameter.utf8.count
        beginning = start + Array("\(parameter)\":\"".utf8)
    }

    /// Returns the range of a message's string, if it needs no decoding; nil if the message does not have the form.
    @inline(__always)
    func text(in message: Span<UInt8>) -> Range<Int>? {
        let (start, end) = (beginning.count, message.count - 3)
        guard start <= end, message.starts(with: beginning.span), message.extracting(end...).isText("\"}}")
        else { return nil }
        return start..<end
    }
}
