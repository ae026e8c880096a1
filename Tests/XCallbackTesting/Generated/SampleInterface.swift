package import XCallbackWire

/// A Varlink interface with types of every kind.
package enum SampleInterface {
    /// Its description.
    package static let text = """
        # For tests.
        interface org.example.test

        type Point (x: int, y: ?int)

        # Says what it hears.
        method Echo(text: string, times: ?int, colour: ?(red, blue)) -> (text: string)

        # Takes one of everything.
        method All(
          bool: ?bool,
          int: ?int,
          small: ?int,
          float: ?float,
          object: ?object,
          any: ?any,
          list: ?[]Point,
          texts: ?[]string,
          enum: ?(one, two),
          point: ?Point
        ) -> ()

        # Tells again and again.
        method Watch() -> (text: ?string)

        # It did not work.
        error Failed (why: string)
        """

    /// A service that offers it.
    package static let service = VarlinkService(
        VarlinkService.Information(vendor: "Nobody", product: "Test", version: "1", url: "https://example.org"),
        interface: "org.example.test", description: text,
        methods: [.init("Echo"), .init("All"), .init("Watch", requiresMore: true)])

    private enum Colour: String { case red, blue }
    private enum Number: String { case one, two }

    /// Reads the parameters of a call, and returns the text of `Echo`.
    package static func read(_ call: VarlinkCall, in message: JSONDocument) throws(VarlinkError) -> String? {
        let parameters = VarlinkObject(call, in: message)
        if call.method == 0 {
            try parameters.check(["text", "times", "colour"])
            let _: Int? = try parameters.optional("times")?.integer()
            let _: Colour? = try parameters.optional("colour")?.choice()
            return try parameters.required("text").text()
        }
        if call.method == 1 { try readAll(parameters) } else { try parameters.check([]) }
        return nil
    }

    private static func readAll(_ parameters: VarlinkObject) throws(VarlinkError) {
        try parameters.check(
            ["bool", "int", "small", "float", "object", "any", "list", "texts", "enum", "point"])
        _ = try parameters.optional("bool")?.truth()
        let _: Int? = try parameters.optional("int")?.integer()
        let _: UInt8? = try parameters.optional("small")?.integer()
        _ = try parameters.optional("float")?.float()
        _ = try parameters.optional("object")?.object().json()
        _ = try parameters.optional("any")?.json()
        for element in try parameters.optional("list")?.elements() ?? [] { try readPoint(element) }
        _ = try parameters.optional("texts")?.texts()
        let _: Number? = try parameters.optional("enum")?.choice()
        if let point = parameters.optional("point") { try readPoint(point) }
    }

    private static func readPoint(_ value: VarlinkValue) throws(VarlinkError) {
        let point = try value.object()
        try point.check(["x", "y"])
        let _: Int = try point.required("x").integer()
        let _: Int? = try point.optional("y")?.integer()
    }
}
