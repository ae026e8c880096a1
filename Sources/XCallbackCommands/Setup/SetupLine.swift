/// A line for people about a completed step.
enum SetupLine {
    /// Prints a line.
    ///
    /// - Parameters:
    ///   - what: The action, in a word or two.
    ///   - text: Its object.
    /// - Throws: ``Failure`` if standard output cannot be written.
    static func print(_ what: String, _ text: String) throws(Failure) {
        try Terminal.print("\(what.padded(to: 14))\(text.withVisibleControls)")
    }
}
