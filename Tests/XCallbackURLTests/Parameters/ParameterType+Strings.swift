import XCallbackURL

// `#expect` takes its arguments apart, and cannot hold a span: so the tests ask with strings.

extension ParameterType {
    func accepts(_ text: String) -> Bool { accepts(text.utf8.span) }
    func accepts(_ bytes: [UInt8]) -> Bool { accepts(bytes.span) }
    func canonical(_ text: String) -> String? { canonical(text.utf8.span) }
}

extension ParameterRule {
    func fault(in text: String) -> String? { fault(in: text.utf8.span) }
}

extension ParameterCharset {
    func contains(allOf text: String) -> Bool { contains(allOf: text.utf8.span) }
    func contains(allOf bytes: [UInt8]) -> Bool { contains(allOf: bytes.span) }
}
