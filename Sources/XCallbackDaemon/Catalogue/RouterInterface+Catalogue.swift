extension RouterInterface {
    /// The part of the interface description about routes.
    static let catalogue = """
        # The routes, in the order of the configuration: those of some schemes, or whose names begin with 'prefix';
        # and all schemes.
        #
        # With 'more', the whole list comes again after each reload that changes one of these routes or its
        # description. A slow reader misses some of the lists, but never the last one.
        #
        # With 'origin', these are the routes that requests of the origin reach, and the call counts for the account
        # of such requests.
        method Routes(schemes: ?[]string, prefix: ?string, origin: ?Origin) -> (
          routes: []Route,
          revision: int,
          schemes: []Scheme
        )

        # The description of a scheme.
        type Scheme (scheme: string, title: ?string, description: ?string)

        # A route: its name (scheme and pattern), and what a request meets there. Only the user of the daemon and root
        # get the place in the configuration.
        #
        # 'syntax' is how URLs of the scheme are read. 'target' is the name that it delivers to, or the topic that it publishes to. 'id' is a text that identifies
        # the route, also after reloads. 'title' and 'description' are for people and for programs that choose
        # actions; they decide nothing. 'input' are the captures, then the other declared parameters. With 'strict',
        # nothing else may be given. With 'form', a '+' in the query is a space, and in the answer of an application
        # to which it redirects. 'returns' are the items of a success: the promise of the author, or what is certain;
        # null if that is not known. 'effect' is null without a description. 'agent' is the name for assistants; null
        # if it is not offered to them. 'asks' says that the user is asked about requests of assistants.
        type Route (
          route: string,
          scheme: string,
          pattern: string,
          syntax: ?(callback, url, text),
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

        # A parameter of a route, or an item of its answer, which has no 'place'. 'type' is null if nothing is known
        # about the values. 'of' is the type of the elements of a list, 'values' are those of an enum. 'min' and 'max'
        # are numbers in text, because they can have 64 bits. Lengths count characters, or bytes for 'data'. 'schemes' are those of a url.
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
          schemes: ?[]string,
          description: ?string
        )

        # The effect of an action: 'read' changes nothing, 'add' loses nothing, 'change' may lose something.
        # 'idempotent' means that two requests do no more than one, 'open_world' that other machines or people are
        # involved.
        type Effect (kind: (read, add, change), idempotent: bool, open_world: bool)
        """
}
