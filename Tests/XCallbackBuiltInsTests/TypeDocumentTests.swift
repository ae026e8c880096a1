import Testing
import XCallbackTesting
import XCallbackURL
import XCallbackWire

/// The table of types, and the files that name them all.
struct TypeDocumentTests {
    @Test func theSchemaKnowsTheTypes() throws {
        let bytes = Array(try textOfFile("\(packageFolder)/config/xcallbackd.schema.json").utf8)
        let schema = try JSONValue(parsing: bytes.span, maximumSize: bytes.count)
        let names = schema["$defs"]?["simple-type"]?["enum"]?.elements?.compactMap(\.text)
        #expect(names == ParameterType.simpleNames)
    }

    @Test func theManualPageKnowsTheTypes() throws {
        let text = try textOfFile("\(packageFolder)/Docs/man/xcallbackd.yaml.5")
        #expect(text.contains("Types are\n.Cm \(ParameterType.names.joined(separator: " , ")) .\n"))
    }

    @Test func theReferenceKnowsTheTypes() throws {
        let text = try textOfFile("\(packageFolder)/Docs/Reference/Configuration.md")
        let rows = text.split(separator: "\n").drop { $0 != "### Types" }.filter { $0.hasPrefix("| `") }
        let names = rows.prefix(ParameterType.names.count).map { $0.split(separator: "`")[1] }
        #expect(names.map(String.init) == ParameterType.names)
    }

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
