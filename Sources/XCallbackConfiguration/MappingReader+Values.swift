extension MappingReader {
    /// Reads a text.
    package func string(_ key: String) -> String? {
        node(key)?.string(faults)
    }

    /// Reads a text that must be there.
    package func requiredString(_ key: String) -> String? {
        requiredNode(key)?.string(faults)
    }

    /// Reads `true` or `false`.
    package func bool(_ key: String) -> Bool? {
        node(key)?.bool(faults)
    }

    /// Reads a whole number.
    package func integer(_ key: String, in range: ClosedRange<Int> = .min ... .max) -> Int? {
        node(key)?.integer(in: range, faults)
    }

    /// Reads a number.
    package func number(_ key: String) -> Double? {
        node(key)?.number(faults)
    }

    /// Reads a length of time.
    package func duration(_ key: String, in range: ClosedRange<Duration>? = nil) -> Duration? {
        node(key)?.duration(in: range, faults)
    }

    /// Reads a number of bytes.
    package func byteCount(_ key: String, in range: ClosedRange<Int>? = nil) -> Int? {
        node(key)?.byteCount(in: range, faults)
    }

    /// Reads a rate.
    package func rate(_ key: String) -> Rate? {
        node(key)?.rate(faults)
    }

    /// Reads a list of texts, or one text.
    package func strings(_ key: String) -> [String]? {
        node(key)?.strings(faults)
    }

    /// Reads one of some words.
    package func choice(_ key: String, of words: [String]) -> String? {
        node(key)?.choice(of: words, faults)
    }

    /// Reads one of the cases of an enumeration by its raw value.
    package func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ key: String,
        of type: Choice.Type
    ) -> Choice? {
        node(key)?.choice(of: type, faults)
    }

    /// Reads a list.
    package func list(_ key: String) -> [Node]? {
        node(key)?.items(faults)
    }

    /// Reads a mapping with given keys; whoever reads it finishes it.
    package func mapping(_ key: String, of what: String) -> MappingReader? {
        node(key).flatMap { MappingReader($0, of: what, faults: faults) }
    }

    /// Reads a mapping whose keys are names of the user's choice.
    package func members(_ key: String) -> [Node.Member]? {
        node(key)?.members(faults)
    }
}
