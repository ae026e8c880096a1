extension String {
    /// The word that was likely meant: one that differs in case and hyphens only, what another program calls so, or the
    /// closest one, if it is close.
    ///
    /// Close is at most two slips (a letter too many, missing, wrong, or two swapped), and fewer than half the letters.
    ///
    /// - Parameters:
    ///   - words: What could have been meant; of equally close words the first counts.
    ///   - areKeys: Whether they are words of the configuration, for which other programs have other words.
    /// - Returns: One of the words, or `nil` if none is close.
    package func nearest(among words: some Sequence<String>, areKeys: Bool = false) -> String? {
        let words = Array(words)
        if words.isEmpty { return nil }
        let plain = plainWord
        if let same = words.first(where: { $0.plainWord == plain }) { return same }
        if areKeys, let synonym = Synonyms.of(plain).first(where: words.contains) { return synonym }
        let length = count
        var best: (word: String, distance: Int)?
        for word in words where abs(word.count - length) <= 2 {
            let distance = slips(to: word)
            guard distance <= 2, distance * 2 < length, distance < best?.distance ?? .max else { continue }
            best = (word, distance)
        }
        return best?.word
    }

    /// The end of a message that names the word that was likely meant; empty if there is none.
    ///
    /// - Parameters:
    ///   - words: What could have been meant.
    ///   - areKeys: Whether they are words of the configuration.
    /// - Returns: The end of the message.
    package func suggestion(among words: some Sequence<String>, areKeys: Bool = false) -> String {
        nearest(among: words, areKeys: areKeys).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The word in lower case, without what parts it into several.
    private var plainWord: String {
        lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }

    /// The Damerau–Levenshtein distance in which no part is edited twice.
    private func slips(to other: String) -> Int {
        let source = Array(self)
        let target = Array(other)
        var beforeLast: [Int] = []
        var last = Array(0...target.count)
        for row in source.indices {
            var current = [row + 1]
            for column in target.indices {
                let isSame = source[row] == target[column]
                var distance = Swift.min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                let isSwap =
                    row > 0 && column > 0 && source[row] == target[column - 1] && source[row - 1] == target[column]
                if isSwap { distance = Swift.min(distance, beforeLast[column - 1] + 1) }
                current.append(distance)
            }
            beforeLast = last
            last = current
        }
        return last[target.count]
    }
}
