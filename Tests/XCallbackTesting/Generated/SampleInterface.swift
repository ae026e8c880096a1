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
          float: ?float,
          object: ?object,
          any: ?any,
          anys: ?[]any,
          list: ?[]Point,
          map: ?[string]?string,
          set: ?[string](),
          enum: ?(one, two),
          point: ?Point,
          maybe: ?[]?int
        ) -> ()

        # Tells again and again.
        method Watch() -> (text: ?string)

        # Nobody has it.
        method Lost() -> ()

        # It did not work.
        error Failed (why: string)
        """
}
