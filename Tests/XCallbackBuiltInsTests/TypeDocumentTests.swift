import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// The table of types, and the files that name them all.
struct TypeDocumentTests {
    @Test func anExampleIsAValueOfItsType() throws {
        for name in ParameterType.simpleNames {
            let type = try #require(ParameterType(name: name))
            for text in type.traits.inPaths + [type.traits.example].compactMap(\.self) {
                let isAccepted = type.accepts(text.utf8.span)
                #expect(isAccepted, "\(name) \(text)")
            }
        }
    }
}
