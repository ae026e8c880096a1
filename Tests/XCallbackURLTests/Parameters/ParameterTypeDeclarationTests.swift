import Testing
import XCallbackURL

struct ParameterTypeDeclarationTests {
    static let valid: [(ParameterTypeDeclaration, ParameterType, isList: Bool)] = [
        (.init(), .string, false),
        (.init(name: "int"), .integer, false),
        (.init(name: "enum", values: ["low", "high"]), .enumeration(["low", "high"]), false),
        (.init(name: "list"), .string, true),
        (.init(name: "list", elementName: "uuid"), .uuid, true),
        (.init(name: "list", elementName: "enum", values: ["a"]), .enumeration(["a"]), true),
    ]

    static let invalid: [(ParameterTypeDeclaration, key: String, message: String)] = [
        (.init(name: "int", elementName: "int"), "of", "of is for lists only"),
        (.init(name: "list", elementName: "list"), "of", "a list cannot hold lists"),
        (.init(name: "enum"), "values", "an enum needs at least one value"),
        (.init(name: "enum", values: []), "values", "an enum needs at least one value"),
        (.init(name: "list", elementName: "enum"), "values", "an enum needs at least one value"),
        (.init(name: "enum", values: ["a", ""]), "values", "a value of an enum must not be empty"),
        (.init(name: "enum", values: ["a", "b", "a"]), "values", "the value 'a' is there twice"),
        (.init(name: "int", values: ["1"]), "values", "values is for enum only"),
        (.init(name: "list", values: ["1"]), "values", "values is for enum only"),
    ]

    @Test(arguments: valid)
    func aDeclarationMakesItsType(declaration: ParameterTypeDeclaration, type: ParameterType, isList: Bool) {
        #expect(declaration.inconsistencies() == [])
        #expect(declaration.type == type)
        #expect(declaration.isList == isList)
    }

    @Test(arguments: invalid)
    func anInconsistencyIsNamedWithItsKey(declaration: ParameterTypeDeclaration, key: String, message: String) {
        #expect(declaration.inconsistencies().map(\.key) == [key])
        #expect(declaration.inconsistencies().map(\.message) == [message])
        #expect(declaration.type == nil)
    }
}
