import XCallbackTesting
import XCallbackWire

/// Checks that the parser, the document and a naive parser agree, that limits hold, and that what is written is read again.
func checkJSON(_ bytes: [UInt8]) throws {
    let naive = NaiveJSON(bytes)
    try checkDocument(of: bytes, naive)
    try checkPlainText(bytes)
    let limit = JSONValue.defaultDepth
    let isValue = naive.map { $0.depth <= limit && !$0.hasLoneSurrogate && !$0.repeatsName } ?? false
    do {
        let value = try JSONValue(parsing: bytes.span, maximumSize: bytes.count)
        try check(isValue, "a value that should be none")
        // Equal strings may be different bytes.
        try check(value.bytes == naive?.value.bytes, "it is read as \(value)")
        try checkRoundTrip(of: value)
    } catch let error as JSONError {
        try check(!isValue, "a value is refused: \(error)")
        try check(0...bytes.count ~= error.offset, "the fault is outside of the text: \(error)")
    }
    try checkLimits(on: bytes, naive, isValue: isValue)
}

/// Checks that a document takes what the grammar allows, whatever it was used for before.
private func checkDocument(of bytes: [UInt8], _ naive: NaiveJSON?) throws {
    var document = JSONDocument()
    let other = Array(#"{"a":[1,{"b":"\u00e9"}],"c":[[[]]]}"#.utf8)
    try document.read(other.span)
    let isTooDeep = naive.map { $0.depth > JSONValue.defaultDepth } ?? false
    do {
        try document.read(bytes.span)
    } catch {
        return try check(naive == nil || isTooDeep, "the document refuses JSON: \(error)")
    }
    guard let naive, !isTooDeep else { throw TestFailure("the document takes what is not JSON, or too deep") }
    try check(document[0].next == naive.count, "\(document[0].next) names and values instead of \(naive.count)")
    try document.read(bytes.span, maximumCount: naive.count)
}

/// Checks that what is written is JSON, and the same value.
private func checkRoundTrip(of value: JSONValue) throws {
    let written = value.bytes
    try check(NaiveJSON(written)?.value.bytes == written, "what is written is another value: \(written.shown)")
    let again = try JSONValue(parsing: written.span, maximumSize: written.count)
    try check(again == value && again.bytes == written, "what is written is read as \(again)")
}

/// Checks that a value is refused where less of it is allowed.
private func checkLimits(on bytes: [UInt8], _ naive: NaiveJSON?, isValue: Bool) throws {
    guard let naive, isValue else { return }
    func reason(size: Int, depth: Int) -> JSONError.Reason? {
        do throws(JSONError) {
            _ = try JSONValue(parsing: bytes.span, maximumSize: size, maximumDepth: depth)
            return nil
        } catch {
            return error.reason
        }
    }
    let (size, depth) = (bytes.count, naive.depth)
    try check(reason(size: size - 1, depth: depth) == .tooLong(limit: size - 1), "\(size) bytes are not too many")
    try check(reason(size: size, depth: depth) == nil, "a depth of \(depth) is too much")
    guard depth > 0 else { return }
    try check(reason(size: size, depth: depth - 1) == .tooDeep(limit: depth - 1), "\(depth) levels are not too deep")
}

/// Checks that what is escaped is read again.
private func checkPlainText(_ bytes: [UInt8]) throws {
    let text = String(validating: bytes, as: UTF8.self)
    guard let text else { return }
    var written: [UInt8] = []
    written.append(json: bytes.span)
    guard case .string(let read)? = NaiveJSON(written)?.value else { throw TestFailure("no string: \(written.shown)") }
    try check(read.utf8.elementsEqual(text.utf8), "\(written.shown) is read as \(read.debugDescription)")
}
