extension String {
    /// The text in single quotes for a message: control characters made visible, cut when long.
    package var quoted: String {
        let limit = 60
        let cut = prefix(limit)
        let end = cut.endIndex < endIndex ? "…" : ""
        return "'\(String(cut).visible)\(end)'"
    }

    /// The text with every character that has no shape of its own as `<U+001B>`.
    var visible: String {
        var result = ""
        for character in self { result += character.visible }
        return result
    }
}
