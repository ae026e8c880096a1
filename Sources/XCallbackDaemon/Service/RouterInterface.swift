import XCallbackPipeline
import XCallbackVarlink

/// The interface that the daemon offers to programs.
enum RouterInterface {
    /// Its name.
    static let name = "org.xcallback.Router"

    /// What clients find; made when the first one asks.
    static let service = VarlinkService(
        VarlinkService.Information(
            vendor: "xcallbackd", product: "xcallbackd", version: Version.text, url: "https://x-callback-url.com"),
        interfaces: [(VarlinkInterface(constant: description), Method.allCases.map(\.method))])

    /// The description as clients read it.
    private static let description = """
        # The router of callback URLs on this machine: ask it, see what it would do, watch it, answer for it.
        #
        # Every URL gets exactly one answer. The user of the daemon and root may do everything; other users get what concerns
        # themselves, and whoever may not do something gets org.varlink.service.PermissionDenied.
        interface org.xcallback.Router

        # The way on which a URL comes in. A client may say that it has it from the desktop, so possibly from a web page, or from
        # an assistant: then only what is offered there answers.
        type Origin (desktop, socket, internal, agent)

        # What a request ends in.
        type Outcome (success, error, cancel, redirect)

        # An item of a query. One without a value ('k', not 'k=') has none here either.
        type Item (name: string, value: ?string)

        # A process, as the kernel noted it when it connected. The number of the process is 0 where it cannot be seen.
        type Peer (uid: int, gid: int, pid: int)

        # Asks for the answer to a URL.
        #
        # 'answer' is that answer, itself a URL. 'items' are what the action gave, in order; 'code' and 'message' are there
        # after an error. With 'route', the 'id' of a route, it is a 404 if another one answers the URL. 'by' says who ended the request: its handler, or the daemon, which found no route, refused it, or did
        # not get an answer in time. The origin is 'socket' if none is given; 'internal' is refused.
        #
        # With 'follow', an answer for one of the daemon's own schemes is the next request, at most eight times, and the reply
        # is that of the last one. Any other callback is 'open': the URL that the client must open. It is null if the answer
        # is not a callback or a redirect.
        #
        # 'cause' says why a handler or a policy failed, as the log of the daemon does, if the user of the daemon or root asks
        # and the origin is 'socket'.
        #
        # 'id' is what the request is called in the log of the daemon, in what 'Monitor' tells, and in the environment of its
        # programs. It is null for what was refused before it was a request.
        method Open(url: string, origin: ?Origin, follow: ?bool, route: ?string) -> (
          outcome: Outcome,
          answer: string,
          items: []Item,
          code: ?int,
          message: ?string,
          cause: ?string,
          by: (daemon, handler),
          open: ?string,
          id: ?string
        )

        # Calls another application, and waits for its answer. Needs 'more'.
        #
        # The first reply holds only 'open', 'secret' and 'limit'. There, 'open' is the URL that is called, with callbacks that
        # lead back to the daemon; the client must open it. The second reply holds the application's answer, as that of
        # 'Open' does. It goes to the URL's own callback: one for the daemon's own schemes is followed, any other is 'open'.
        # A URL that the daemon answers itself has the second reply only. 'timeout' counts seconds. With 'form', a '+' in the
        # application's answer is a space, as programs write it that make queries as HTML forms do. Only the user of the
        # daemon and root may call.
        #
        # The first reply tells, too, for how many seconds the call lasts ('limit'), and where calls outlive the daemon a
        # 'secret': when the connection ends before the other reply, or that is the error Stopping, the client goes on with
        # 'Resume', within that time.
        method Call(url: string, timeout: ?float, form: ?bool) -> (
          open: ?string,
          secret: ?string,
          limit: ?float,
          outcome: ?Outcome,
          answer: ?string,
          items: ?[]Item,
          code: ?int,
          message: ?string,
          by: ?(daemon, handler)
        )

        # Goes on with a call to a daemon that has ended since: waits for its answer, as the other reply to 'Call' tells it.
        #
        # 'url' is the one that was called, with its own callbacks: the daemon keeps no URL. An answer that has come meanwhile
        # is told at once. A call is gone on with by its own user, and by one client at a time.
        method Resume(secret: string, url: string) -> (
          outcome: Outcome,
          answer: string,
          items: []Item,
          code: ?int,
          message: ?string,
          by: (daemon, handler),
          open: ?string
        )

        # There is no such call to go on with: its time is over, somebody goes on with it, or it was not kept.
        error UnknownCall ()

        # The daemon is the system's, which has no session in which applications could be called.
        error NoSession ()

        # What would become of a URL. Nothing runs, nobody is asked, no rate is spent and no secret compared.
        #
        # The origin is 'socket' if none is given. Commands, the places of the configuration and for whom a policy is are shown
        # to the user of the daemon and root only, who may also ask for somebody else: for a user ('uid') with groups
        # ('gids', the primary one first).
        method Explain(url: string, origin: ?Origin, uid: ?int, gids: ?[]int) -> (explanation: Explanation)

        # Checks a configuration as the daemon would read it, and changes nothing. The user of the daemon and root may.
        #
        # 'files' are the configuration file, then its drop-ins in the order of their names; the daemon opens none of them, but
        # looks whether it may. A
        # name is a path from '/' on, at which relative paths begin. What is longer than a message comes in several calls, up
        # to 4 MiB in all: each but the last says 'continues', and has an empty reply; a file that has begun goes on under
        # its name. Programs, secrets and credentials are looked for as the daemon sees them.
        method Check(files: []ConfigurationFile, continues: ?bool) -> (
          routes: ?int,
          schemes: ?[]string,
          faults: ?[]Fault,
          fault_count: ?int,
          warnings: ?[]Fault,
          warning_count: ?int
        )

        # A file of a configuration, or a part of it.
        type ConfigurationFile (name: string, text: string)

        # The user has as much of something as it may: 'used' of 'limit'. 'name' is what it is called in the configuration,
        # 'message' says whose limit it is and which setting holds it. If 'name' is 'message', it is the call itself that is
        # too long, and the connection ends.
        error LimitReached (name: string, used: int, limit: int, message: string)

        # The system has no thread to work the reply out with; try again later.
        error NoThread ()

        # What would become of a URL: 'fault' if nothing would run, else what it meets, hop by hop; and 'hints' on names of
        # its query that are likely misspelt.
        type Explanation (
          url: string,
          origin: Origin,
          peer: Peer,
          fault: ?Response,
          hops: []Hop,
          response: ?Response,
          certain: bool,
          answers: [](outcome: Outcome, url: string, complete: bool),
          hints: []string
        )

        # How a request ends: with items, with code and message, or with another URL.
        type Response (outcome: Outcome, items: ?[]Item, code: ?int, message: ?string, url: ?string)

        # A URL on its way: the one that is asked for, or one that a route redirects to; 'action' as in a delivery.
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
            verdict: (proceeds, ends, open),
            response: ?Response,
            notes: []string,
            changes: []string,
            command: ?[]string
          ),
          parameters: ?[]Item,
          response: ?Response
        )

        \(catalogue)

        # How the daemon does. 'total', 'latency', 'limits' and 'traffic', which are those of all users together, are shown to
        # the user of the daemon and root only; 'accounts' and 'receivers' hold those of other users for them only.
        method Status() -> (
          service: Service,
          total: ?Total,
          latency: ?Latency,
          limits: []Limit,
          accounts: []Account,
          traffic: []Traffic,
          receivers: []Receiver
        )

        # What has become of the requests of a route since the daemon started: 'time' is how many seconds they took together,
        # 'longest' how many one of them took at most. A request that was answered at once counts with the time of the batch
        # in which it was read. The first 1,000 routes that are asked for are counted one by one, all others as the route
        # 'other'; 'route' is null for requests that no route answers. A route keeps its counts when a reload removes it.
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

        # How many errors had a code. The first 16 codes of a route are counted one by one; the code is null for all others.
        type CodeCount (code: ?int, errors: int)

        # A client that receives: as what, for how many seconds, and how many requests it has, of at most 'prefetch'.
        type Receiver (name: string, peer: Peer, uptime: float, requests: int, prefetch: int)

        # The daemon: its version, process, user and socket, for how many seconds it has run, whether it is stopping, how many
        # routes it serves, and how many faults kept the configuration that was read last from being served.
        type Service (
          version: string, pid: int, uid: int, socket: string, uptime: float, stopping: bool, routes: int, faults: int
        )

        # What has happened since the daemon started. 'refused_returns' are answers to calls that were late, repeated or forged.
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

        # How long requests took, in seconds, from their arrival to their answer: a tenth of them took longer than 'p90'.
        # The figures are right to an eighth.
        type Latency (p50: float, p90: float, p99: float, p999: float, longest: float)

        # A limit: how much of it is used, how much there may be, and what it is called in the configuration.
        type Limit (name: string, used: int, limit: int)

        # What a user holds, by how its requests come. The user is null for those together whom the system does not know.
        type Account (user: ?int, class: (socket, desktop, agent), limits: []Limit)

        # Shows requests and answers as they come. Other users see their own.
        #
        # Values are hidden in URLs, items and messages; with 'values' they are shown for the requests of the caller's own user.
        # Needs 'more'. The first reply holds nothing and says that the watch has begun.
        #
        # 'route' (as 'Routes' names it), 'user', 'process' and 'outcome' leave out all others, also of those that 'missed'
        # counts. A request that waits has no outcome yet.
        method Monitor(values: ?bool, route: ?string, user: ?int, process: ?int, outcome: ?Outcome) -> (event: ?Event)

        # The configuration has no such route.
        error UnknownRoute (route: string)

        # A request that has to wait for its handler, an answer, or how many of them were left out because the client reads too
        # slowly. 'number' is the same for a request and its answer, 'id' is that of 'Open'; 'time' counts seconds since 1970,
        # 'duration' seconds.
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

        # Reads the configuration anew. The lists name the routes that were added, removed or changed, and the settings beside
        # the routes that differ, such as 'callbacks' or 'log'. 'warnings' tell what is likely a mistake.
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

        # The daemon serves nothing yet, as its configuration has faults; the same call may succeed once they are mended.
        error Unavailable (message: string)

        # The daemon is about to end; whoever starts it again answers.
        error Stopping ()

        # A fault or a warning: where, what was found and expected, and another place that has to do with it. The file as a whole
        # is meant where there is no line. 'column' and 'length' count characters.
        type Fault (file: string, line: ?int, column: ?int, length: ?int, message: string, other: ?OtherPlace)

        # Another place of a fault, and what is there: 'role' is such as 'the first is'.
        type OtherPlace (role: string, file: string, line: ?int, column: ?int, length: ?int)

        # Receives what routes with 'deliver: NAME' are asked for. Needs 'more'.
        #
        # The first reply holds nothing and says that the name is received from now on. Each other one holds a request; a client
        # has one of them at a time, or up to 'prefetch' (1 to 64), and gets the next one when it has responded, or at the
        # limit of one. 'ended' names a request that has ended without a response: its caller has left, or its limit has
        # expired. The requests of a client end with an error when its connection does. If a reload drops the name, the
        # call ends with UnknownName once the requests that were made before have ended; another reload may bring it back.
        # 'key' is a text of up to 64 bytes by which the client can retire.
        method Receive(name: string, prefetch: ?int, key: ?string) -> (request: ?Delivery, ended: ?string)

        # A request for a receiver. 'id' cannot be guessed. 'items' are the parameters in order, 'parameters' the same as an
        # object in which a list is what is declared as one or repeats, and [] a name alone; 'limit' is how many seconds are
        # left to respond.
        # 'action' is what was matched, the same for every spelling, with each segment percent-encoded; 'query' is what
        # belongs to it, without x- items and secrets, as it was received.
        type Delivery (
          id: string,
          url: string,
          route: string,
          action: string,
          query: string,
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

        # Lets receivers of this user, which receive as 'name' and have given this 'key', have no more requests: their calls end
        # with Retired once all that they have has ended. 'retired' is how many those are.
        method Retire(name: string, key: string) -> (retired: int)

        # The receiver is retired: it gets no more requests.
        error Retired ()

        # The configuration has no route that delivers to this name.
        error UnknownName (name: string)

        # No receiver of this user has had such a request.
        error UnknownRequest ()

        # The request has got its response already.
        error AlreadyAnswered ()

        # The request has ended without this response: its limit has expired, its caller has left, or the
        # connection of the receiver was lost.
        error TooLate ()

        # Shows what is published to topics. Needs 'more'.
        #
        # The first reply holds nothing and says that the subscription has begun. A client that reads too slowly loses the
        # oldest events; 'missed' then says how many.
        method Subscribe(topics: []string) -> (event: ?Publication)

        # What was published to a topic, or how much of it was left out.
        type Publication (topic: ?string, items: ?[]Item, missed: ?int)

        # Publishes items to all who subscribe to a topic, and says how many those are.
        method Publish(topic: string, items: []Item) -> (reached: int)

        # The configuration has no such topic.
        error UnknownTopic (topic: string)
        """
}
