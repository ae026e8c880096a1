extension RouterInterface {
    /// The part of the description that tells of routes.
    static let catalogue = """
        # The routes, in the order of the configuration: those of some schemes, or whose names begin with 'prefix'.
        #
        # A reply holds at most 64 KiB of them; a route that has more alone is in a reply of its own, of whatever length. If
        # there are more, 'cursor' is what the next call gives; if its 'revision' is another one, the routes have changed
        # between the two, and the list begins anew without 'cursor'. The first reply tells of all schemes, too.
        #
        # With 'more', the first reply holds no route and says that it has begun; all replies of the list come by themselves, and the whole list comes again after each reload that
        # changes one of these routes, or what it says of itself. A list is complete with the reply whose 'cursor' is null; one
        # of another 'revision' takes the place of one that was not complete.
        # With 'origin' these are the routes that requests of it reach, and the call counts for the account of such requests.
        method Routes(schemes: ?[]string, prefix: ?string, cursor: ?string, origin: ?Origin) -> (
          routes: []Route,
          revision: int,
          cursor: ?string,
          schemes: ?[]Scheme
        )

        # What a scheme says of itself.
        type Scheme (scheme: string, title: ?string, description: ?string)

        # A route: its name (scheme and pattern), and what a request meets there. The place in the configuration is shown to the
        # user of the daemon and root only.
        #
        # 'target' is the name that it delivers to, or the topic that it publishes to. 'id' is a text that no other route has, and that it keeps over reloads. 'title' and 'description' are for people
        # and for programs that choose actions; they decide nothing. 'input' are the captures, then what is declared besides;
        # 'strict' says that nothing else may be given, 'form' that a '+' in the query is a space, and in the answer of an
        # application to which it redirects. 'returns' are the items of a success: what the author promises, or
        # what is certain; null if that is not known. 'effect' is null if the author says nothing.
        # 'agent' is what assistants call it; null if it is not offered to them. 'asks' says that the user is asked about their
        # requests.
        type Route (
          route: string,
          scheme: string,
          pattern: string,
          public: bool,
          middleware: []string,
          policies: []string,
          handler: string,
          target: ?string,
          place: ?string,
          id: ?string,
          title: ?string,
          description: ?string,
          input: ?[]Parameter,
          strict: ?bool,
          form: ?bool,
          returns: ?[]Parameter,
          effect: ?Effect,
          agent: ?string,
          asks: ?bool
        )

        # A parameter of a route, or an item of its answer, which has no 'place'. 'type' is null if nothing is known of the values;
        # 'of' is that of a list's elements, 'values' are those of an enum. 'min' and 'max' are numbers in text, as they may have
        # 64 bits; lengths count characters, or bytes for 'data'.
        type Parameter (
          name: string,
          place: ?(path, query),
          type: ?string,
          of: ?string,
          values: ?[]string,
          required: bool,
          default: ?[]string,
          min: ?string,
          max: ?string,
          min_length: ?int,
          max_length: ?int,
          charset: ?string,
          description: ?string
        )

        # What an action does: 'read' changes nothing, 'add' loses nothing, 'change' may. 'idempotent' says that to ask twice does
        # no more than to ask once, 'open_world' that others than this machine have to do with it.
        type Effect (kind: (read, add, change), idempotent: bool, open_world: bool)
        """
}
