extension Int {
    /// Creates a number from its one written form: digits without leading zeros, with `-` if it is negative.
    init?(decimal text: some StringProtocol) {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard let number = Int(text), digits.first != UInt8(ascii: "+") else { return nil }
        guard digits.first != UInt8(ascii: "0") || text == "0" else { return nil }
        self = number
    }
}
