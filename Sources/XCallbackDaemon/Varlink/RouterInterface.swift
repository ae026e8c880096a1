import XCallbackPipeline
import XCallbackWire

/// The Varlink interface of the daemon.
enum RouterInterface {
    /// Its name.
    static let name = "org.xcallback.Router"

    /// The service that clients see; created on the first call.
    static let service = VarlinkService(
        VarlinkService.Information(
            vendor: "xcallbackd", product: "xcallbackd", version: Version.text, url: "https://x-callback-url.com"),
        interface: name, description: description, methods: Method.allCases.map(\.method))

    /// The interface description that clients read.
    private static let description = """
        # The router of callback URLs on this machine: send requests, inspect and watch them, and handle them.
        #
        # Every URL gets exactly one answer. The user of the daemon and root may do everything. Other users get what
        # concerns themselves, and otherwise org.varlink.service.PermissionDenied.
        interface org.xcallback.Router

        # The origin of a URL. A client can declare that a URL comes from the desktop, and so perhaps from a web page,
        # or from an assistant: then only routes that are offered there answer.
        type Origin (desktop, socket, internal, agent)

        # The outcome of a request.
        type Outcome (success, error, cancel, redirect)

        # An item of a query. An item without a value ('k', not 'k=') has none here either.
        type Item (name: string, value: ?string)

        # A process, as the kernel recorded it when it connected. The number of an invisible process is 0.
        type Peer (uid: int, gid: int, pid: int)

        # Returns the answer to a URL.
        #
        # 'answer' is the answer, itself a URL. 'items' are the items of the action, in order. 'code' and 'message'
        # are there after an error. 'by' is who ended the request: its handler, or the daemon, which found no route,
        # refused the request, or got no answer in time. The origin is 'socket' if none is given; 'internal' is
        # refused. With 'route', the 'id' of a route, the error is 404 if another route answers the URL.
        #
        # With 'follow', an answer for one of the daemon's own schemes is the next request, at most eight times, and
        # the reply is that of the last one. Any other callback is 'open': the URL that the client must open. It is
        # null if the answer is neither a callback nor a redirect.
        #
        # 'cause' is the reason for an error, such as the last line that a program wrote to standard error, or, after a 404
        # or 422, the route that comes closest. Only the user of the daemon and root get it, and not for the origin 'agent'.
        #
        # 'notice' is the text of 'notify' in the configuration, which the desktop shows after a success; only for the
        # origin 'desktop'.
        #
        # 'id' is the id of the request in the log of the daemon, in the events of 'Monitor', and in the environment
        # of its programs. It is null for what was refused before it became a request.
        method Open(url: string, origin: ?Origin, follow: ?bool, route: ?string) -> (
          outcome: Outcome,
          answer: string,
          items: []Item,
          code: ?int,
          message: ?string,
          cause: ?string,
          notice: ?string,
          by: (daemon, handler),
          open: ?string,
          id: ?string
        )

        # Calls another application, and waits for its answer. Needs 'more'.
        #
        # The first reply holds only 'open', the called URL, with callbacks that lead
        # back to the daemon. The client must open it. The second reply holds the answer of the application, like that
        # of 'Open'. The answer goes to the URL's own callback: one for the daemon's own schemes is followed, any
        # other is 'open'. A URL that the daemon answers itself has the second reply only. 'timeout' is in seconds.
        # With 'form', a '+' in the answer of the application is a space, as in HTML forms. Only the user of the
        # daemon and root may call.
        #
        # 'items' of an error are all that the application sent with it; for the errors of the daemon they are empty,
        # except for 502, an answer that is unreadable in part. A daemon that stops answers its calls with the error
        # 503.
        method Call(url: string, timeout: ?float, form: ?bool) -> (
          open: ?string,
          outcome: ?Outcome,
          answer: ?string,
          items: ?[]Item,
          code: ?int,
          message: ?string,
          by: ?(daemon, handler)
        )

        # The daemon is the system's, which has no session for calls of applications.
        error NoSession ()

        # Shows what would happen to a URL. Nothing runs, no user is asked, no rate is used and no secret compared.
        #
        # The origin is 'socket' if none is given. Only the user of the daemon and root get commands, places of the
        # configuration and the users of policies.
        method Explain(url: string, origin: ?Origin) -> (explanation: Explanation)

        # Loads the configuration as 'Reload' would, without using it, and replies with its faults and warnings. Only the
        # user of the daemon and root may call it. 'file' is the configuration file, and 'files' the number of all files.
        method Check() -> (
          file: ?string,
          files: int,
          routes: int,
          schemes: []string,
          faults: []Fault,
          fault_count: int,
          warnings: []Fault,
          warning_count: int
        )

        # The user has reached a limit: 'used' of 'limit'. 'name' is its name in the configuration. 'message' says
        # whose limit it is and which setting holds it. If 'name' is 'message', the call itself is too long, and the
        # connection ends.
        error LimitReached (name: string, used: int, limit: int, message: string)

        # The system has no thread to make the reply. Try again later.
        error NoThread ()

        # What would happen to a URL: 'result' in one sentence, which is an error if it has a 'code', then what it meets,
        # hop by hop. No stage runs. 'hints' are about names of its query that are probably misspelled.
        type Explanation (
          url: string,
          origin: Origin,
          code: ?int,
          result: string,
          hops: []Hop,
          hints: []string
        )

        # A URL on its way: the requested one, or one to which a route redirects. 'action' is as in a delivery.
        type Hop (
          url: string,
          action: string,
          origin: Origin,
          candidates: [](route: string, place: ?string, verdict: (answers, outranked, differs), reason: ?string),
          omitted: int,
          route: ?string,
          captures: []Item,
          stages: [](
            kind: (middleware, policy, input, handler),
            name: string,
            note: ?string,
            command: ?[]string
          )
        )

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

        # The state of the daemon. Only the user of the daemon and root get 'total', 'latency', 'limits' and
        # 'traffic', which are those of all users together, and 'accounts' and 'receivers' of other users.
        method Status() -> (
          service: Service,
          total: ?Total,
          latency: ?Latency,
          limits: []Limit,
          accounts: []Account,
          traffic: []Traffic,
          receivers: []Receiver
        )

        # The requests of a route since the daemon started. 'time' is the number of seconds that they took together,
        # 'longest' that of the longest one. A request that was answered at once counts with the time of the batch in
        # which it was read. The first 1,000 requested routes are counted separately, all others as the route 'other'.
        # 'route' is null for requests that no route answers. A route keeps its counts when a reload removes it.
        type Traffic (
          route: ?string,
          requests: int,
          successes: int,
          errors: int,
          cancels: int,
          redirects: int,
          codes: []CodeCount,
          time: float,
          longest: float
        )

        # How many errors had a code. The first 16 codes of a route are counted separately. The code is null for all
        # others.
        type CodeCount (code: ?int, errors: int)

        # A receiver: its name, its age in seconds, and the number of its requests, at most 'prefetch'.
        type Receiver (name: string, peer: Peer, uptime: float, requests: int, prefetch: int)

        # The daemon: its version, process, user and socket, its age in seconds, whether it is stopping, how many
        # routes it serves, and how many faults kept the configuration that was read last from being served.
        type Service (
          version: string, pid: int, uid: int, socket: string, uptime: float, stopping: bool, routes: int, faults: int
        )

        # What has happened since the daemon started. 'refused_returns' are late, repeated or forged answers to calls.
        type Total (
          requests: int,
          successes: int,
          errors: int,
          cancels: int,
          redirects: int,
          connections: int,
          refused_connections: int,
          reloads: int,
          failed_reloads: int,
          refused_returns: int
        )

        # How long requests took, in seconds, from their arrival to their answer: a tenth of them took longer than
        # 'p90'. The figures are exact to an eighth.
        type Latency (p50: float, p90: float, p99: float, p999: float, longest: float)

        # A limit: its name in the configuration, how much of it is used, and its value.
        type Limit (name: string, used: int, limit: int)

        # What a user holds, by the class of its requests. The user is null for all users together that the system
        # does not know.
        type Account (user: ?int, class: (socket, desktop, agent), limits: []Limit)

        # Shows requests and answers as they come. Other users see their own.
        #
        # Values are hidden in URLs, items and messages. With 'values' they are shown for requests of the caller's own
        # user. Needs 'more'. The first reply is empty and says that the watch has started.
        #
        # 'route' (a name as in 'Routes'), 'user', 'process' and 'outcome' exclude all other events, also from the
        # count in 'missed'. A waiting request has no outcome yet.
        method Monitor(values: ?bool, route: ?string, user: ?int, process: ?int, outcome: ?Outcome) -> (event: ?Event)

        # The configuration has no such route.
        error UnknownRoute (route: string)

        # A request that waits for its handler, an answer, or the number of events that were left out because the
        # client reads too slowly. 'number' is the same for a request and its answer. 'id' is that of 'Open'. 'time'
        # is in seconds since 1970, 'duration' in seconds.
        type Event (
          kind: (request, answer, missed),
          time: float,
          number: ?int,
          id: ?string,
          url: ?string,
          route: ?string,
          origin: ?Origin,
          peer: ?Peer,
          outcome: ?Outcome,
          code: ?int,
          answer: ?string,
          by: ?(daemon, handler),
          duration: ?float,
          missed: ?int
        )

        # Reads the configuration again. The lists name the added, removed and changed routes, and other settings that
        # differ, such as 'callbacks' or 'log'. 'warnings' are probable mistakes.
        method Reload() -> (
          routes: int,
          added: []string,
          removed: []string,
          changed: []string,
          settings: []string,
          warnings: []Fault
        )

        # The configuration has faults and was not loaded: nothing has changed.
        error NotLoaded (faults: []Fault)

        # The daemon serves nothing yet, because its configuration has faults. Call again once they are fixed.
        error Unavailable (message: string)

        # The daemon is stopping. The next one answers.
        error Stopping ()

        # A fault or a warning: its place, what was found and expected, and another place if one is involved. Without
        # a line it concerns the whole file. 'column' and 'length' count characters. 'excerpt' is the line with a caret.
        type Fault (
          file: string,
          line: ?int,
          column: ?int,
          length: ?int,
          message: string,
          other: ?OtherPlace,
          excerpt: ?string,
          breaks_route: ?bool
        )

        # Another place of a fault, and what is there: 'role' is such as 'the first is'.
        type OtherPlace (role: string, file: string, line: ?int, column: ?int, length: ?int)

        # Receives the requests of routes with 'deliver: NAME'. Needs 'more'.
        #
        # The first reply is empty and says that the client receives from now on. Each other reply holds a request. A
        # client has one request at a time, or up to 'prefetch' (1 to 64). It gets the next one when it has responded,
        # or when the time limit of one expires. 'ended' names a request that has ended without a response: its caller
        # has disconnected, or its time limit has expired. The requests of a client end with an error when its
        # connection ends. If a reload removes the name, the call ends with UnknownName once earlier requests have
        # ended. Another reload can bring the name back. 'key' is a text of up to 64 bytes for 'Retire'. With 'where',
        # the client gets only requests with these values: each item is a parameter, or in the fragment, read like a query.
        method Receive(name: string, prefetch: ?int, key: ?string, where: ?[]Item) -> (request: ?Delivery, ended: ?string)

        # A request for a receiver. 'id' cannot be guessed. 'items' are the parameters in order. 'parameters' are the
        # same as an object: a declared list or a repeated parameter is a list, and a name alone is []. 'limit' is the
        # number of seconds left to respond. 'action' is what was matched, the same for every spelling, with each
        # segment percent-encoded. 'query' is the query that belongs to it, as received, without x- items and secrets.
        # 'fragment' is the text after '#', as received. Only URLs of syntax 'url' have 'user', 'host' and 'port'.
        type Delivery (
          id: string,
          url: string,
          route: string,
          action: string,
          query: string,
          fragment: ?string,
          user: ?string,
          host: ?string,
          port: ?string,
          items: []Item,
          parameters: object,
          source: ?string,
          origin: Origin,
          peer: Peer,
          data: object,
          callbacks: object,
          limit: float
        )

        # Responds to a request, once, from any connection of the receiver's user. An error without a code has 500.
        method Respond(id: string, outcome: (success, error, cancel), items: ?[]Item, code: ?int, message: ?string) -> ()

        # Retires receivers of this user with this 'name' and 'key': they get no more requests, and their calls end
        # with Retired once all their requests have ended. 'retired' is the number of these receivers.
        method Retire(name: string, key: string) -> (retired: int)

        # The receiver is retired: it gets no more requests.
        error Retired ()

        # The configuration has no route that delivers to this name.
        error UnknownName (name: string)

        # No receiver of this user has had such a request, or it ended long ago.
        error UnknownRequest ()

        # The request already has its response.
        error AlreadyAnswered ()

        # The request has ended without this response: its time limit has expired, its caller has disconnected, or the
        # connection of the receiver was lost.
        error TooLate ()

        # Shows what is published to topics. Needs 'more'.
        #
        # The first reply is empty and says that the subscription has started. A slow client loses the oldest events:
        # 'missed' is their number.
        method Subscribe(topics: []string) -> (event: ?Publication)

        # An event of a topic, or the number of events that were left out.
        type Publication (topic: ?string, items: ?[]Item, missed: ?int)

        # Publishes items to all subscribers of a topic, and returns their number.
        method Publish(topic: string, items: []Item) -> (reached: int)

        # The configuration has no such topic.
        error UnknownTopic (topic: string)
        """
}
