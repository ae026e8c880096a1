extension String {
    /// Splits a camel-case name into lowercase words: `grabURL` becomes `grab-url`, and `AddText2` becomes `add-text2`.
    ///
    /// Acronyms and digits stay whole. A word starts with a capital after another letter or a digit, and with the last
    /// of several capitals before a lowercase letter: `URLGrabber` becomes `url-grabber`.
    ///
    /// - Parameter separator: The separator between words, which also replaces underscores.
    /// - Returns: The words, joined by the separator.
    func words(joinedBy separator: Character) -> String {
        let characters = Array(self)
        var result = ""
        for (index, character) in characters.enumerated() {
            if character == "_" {
                // Underscores at the ends are part of the name.
                result.append(result.isEmpty || index == characters.count - 1 ? character : separator)
                continue
            }
            if character.isUppercase, index > 0, beginsWord(characters, at: index) { result.append(separator) }
            result += character.lowercased()
        }
        return result
    }

    private func beginsWord(_ characters: [Character], at index: Int) -> Bool {
        let previous = characters[index - 1]
        if previous.isLowercase || previous.isNumber { return true }
        return previous.isUppercase && index + 1 < characters.count && characters[index + 1].isLowercase
    }
}
