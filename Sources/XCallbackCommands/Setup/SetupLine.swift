/// What was done, a line for people.
enum SetupLine {
    /// Prints a line.
    ///
    /// - Parameters:
    ///   - what: What was done, in a word or two.
    ///   - text: To what.
    /// - Throws: ``Failure`` if it cannot be written.
    static func print(_ what: String, _ text: String) throws(Failure) {
        try Terminal.print("\(what.padded(to: 14))\(text.withVisibleControls)")
    }
}
