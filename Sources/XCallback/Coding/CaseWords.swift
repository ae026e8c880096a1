extension String {
    /// The words of a name in camel case, in lower case: `grabURL` is `grab-url`, and `AddText2` is `add-text2`.
    ///
    /// Acronyms and digits stay whole. A word begins with a capital after another letter or a digit, and with the last
    /// of several capitals if a small letter follows it: `URLGrabber` is `url-grabber`.
    ///
    /// - Parameter separator: What stands between words, also in the place of underscores.
    /// - Returns: The words, with the separator between them.
    func words(joinedBy separator: Character) -> String {
        let characters = Array(self)
        var result = ""
        for (index, character) in characters.enumerated() {
            if character == "_" {
                // Those at the ends are part of the name.
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
