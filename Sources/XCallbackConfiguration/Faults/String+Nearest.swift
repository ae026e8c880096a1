extension String {
    /// Returns the word that was probably meant: one that differs only in case and hyphens, a synonym from other
    /// programs, or the closest word if it is close enough.
    ///
    /// Close enough means at most two typing errors (an extra, missing or wrong letter, or two swapped letters), and
    /// fewer than half the letters.
    ///
    /// - Parameters:
    ///   - words: The candidates; among equally close words, the first is chosen.
    ///   - areKeys: Whether the candidates are words of the configuration, for which other programs use synonyms.
    /// - Returns: One of the candidates; `nil` if none is close enough.
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

    /// Returns the end of a message with the word that was probably meant; empty if there is none.
    ///
    /// - Parameters:
    ///   - words: The candidates.
    ///   - areKeys: Whether the candidates are words of the configuration.
    /// - Returns: The end of the message.
    package func suggestion(among words: some Sequence<String>, areKeys: Bool = false) -> String {
        nearest(among: words, areKeys: areKeys).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The word in lowercase without separators.
    private var plainWord: String {
        lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
    }

    /// Returns the Damerau–Levenshtein distance in which no part is edited twice.
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

/// Words that other programs use instead of those of the configuration.
enum Synonyms {
    /// Returns the words that a synonym, in lowercase without hyphens, could mean.
    static func of(_ word: String) -> [String] { words[word] ?? [] }

    private static let words = [
        // Types.
        "integer": ["int"], "long": ["int"], "float": ["number"], "double": ["number"], "decimal": ["number"],
        "boolean": ["bool"], "flag": ["bool"], "str": ["string"], "text": ["string"], "datetime": ["date"],
        "timestamp": ["date"], "time": ["date", "timeout"], "uri": ["url"], "guid": ["uuid"], "bytes": ["data"],
        "base64": ["data"], "binary": ["data"], "array": ["list"], "choice": ["enum"], "oneof": ["enum", "values"],
        // Keys of a parameter.
        "enum": ["values"], "choices": ["values"], "options": ["values"], "optional": ["required"],
        "minimum": ["min"], "maximum": ["max"], "pattern": ["charset", "route"], "regex": ["charset"],
        "items": ["of"], "element": ["of"],
        // Keys of a route.
        "path": ["route"], "params": ["input"], "parameters": ["input"], "query": ["input"], "policy": ["policies"],
        "middlewares": ["middleware"], "command": ["exec"], "cmd": ["exec"], "run": ["exec"], "shell": ["exec"],
        "execute": ["exec"], "response": ["respond"], "reply": ["respond"], "return": ["respond"],
        "forward": ["redirect"], "emit": ["publish"], "private": ["public"], "disabled": ["enabled"],
        "dir": ["cwd"], "folder": ["cwd"], "workdir": ["cwd"], "environment": ["env"],
        // Others.
        "loglevel": ["log"], "logging": ["log"], "warn": ["warning"], "verbose": ["debug"], "fatal": ["critical"],
        "web": ["desktop"], "browser": ["desktop"], "cli": ["socket"], "uid": ["user"], "users": ["user"],
        "gid": ["group"], "ratelimit": ["rate"], "limit": ["rate", "limits"], "password": ["token"],
        "secret": ["token"], "ask": ["confirm"],
    ]
}
