import Testing

/// What people write by mistake where parameters are declared.
struct InputMistakeTests {
    static let faults: [CommonMistake] = [
        .input("{ optional: true }", "did you mean 'required'?", "{ required: false }"),
        .input("{ optional: false }", "did you mean 'required'?", "{ type: string }"),
        .input("{ default: }", "write '' for an empty text", "{ default: '' }"),
        .input("{ type: int, default: }", "found nothing: leave 'default' out", "{ type: int, default: 3 }"),
        .input(
            "{ type: enum, values: [a, null] }", "put 'null' in quotes",
            "{ type: enum, values: [a, 'null'], default: a }"),
        .input("'[int]'", "a list is written '{ type: list, of: int }'", "{ type: list, of: int }"),
        .input("[int]", "a list is written '{ type: list, of: int }'", "{ type: list, of: int }"),
        .input("'int[]'", "a list is written '{ type: list, of: int }'", "{ type: list, of: int }"),
        .input("list<string>", "a list is written '{ type: list, of: string }'", "{ type: list, of: string }"),
        .input("{ type: 'integer[]' }", "a list is written '{ type: list, of: int }'", "{ type: list, of: int }"),
    ]

    @Test(arguments: faults)
    func aMistakeInADeclarationLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }

    @Test(arguments: ["{ type: enum, values: [a, null] }", "{ default: }", "'[int]'", "{ type: '[int]' }"])
    func itIsReportedOnce(declaration: String) {
        #expect(CommonMistake.input(declaration, "", "").told.count == 1)
    }
}
