import Testing

/// What people write by mistake where a program and its arguments are expected.
struct ProgramMistakeTests {
    static let lines: [CommonMistake] = [
        .route(
            #"exec: echo "{id}" > /tmp/x"#, #"write [sh, -c, 'echo "$XCALLBACK_PARAM_ID" > /tmp/x']"#,
            #"exec: [sh, -c, 'echo "$XCALLBACK_PARAM_ID" > /tmp/x']"#),
        .route(
            #"exec: 'echo {id}x ''{id}'' ''no {id}.'' | cat'"#,
            #"write [sh, -c, 'echo "${{XCALLBACK_PARAM_ID}}"x "$XCALLBACK_PARAM_ID" ''no ''"$XCALLBACK_PARAM_ID"''.'' | "#,
            #"exec: [sh, -c, 'echo "${{XCALLBACK_PARAM_ID}}"x "$XCALLBACK_PARAM_ID" ''no ''"$XCALLBACK_PARAM_ID"''.'' | cat']"#
        ),
        .route(
            "exec: ls | awk '{print $1}'", "write [sh, -c, 'ls | awk ''{{print $1}}''']",
            "exec: [sh, -c, 'ls | awk ''{{print $1}}''']"),
        .route(
            #"exec: 'ls "${HOME}" {@action}'"#, #"write [sh, -c, 'ls "${{HOME}}" "$XCALLBACK_ACTION"']"#,
            #"exec: [sh, -c, 'ls "${{HOME}}" "$XCALLBACK_ACTION"']"#),
        .route(
            "exec: [sh, -c, 'echo {id}']", #"or let the code read "$XCALLBACK_PARAM_ID""#,
            #"exec: [sh, -c, 'echo "$XCALLBACK_PARAM_ID"']"#),
        .route(
            #"exec: echo "{id}" 'a b'"#, #"write [echo, "{id}", 'a b']"#, #"exec: [echo, "{id}", 'a b']"#),
        .route("exec: echo it's", "write [echo, 'it''s']", "exec: [echo, 'it''s']"),
        .route("exec: ['ls -l /tmp']", "write [ls, -l, /tmp]", "exec: [ls, -l, /tmp]"),
        .route("exec: ['/bin/ls -l']", "write [/bin/ls, -l]", "exec: [/bin/ls, -l]"),
        .route("exec: ['ls {id}']", #"write [ls, "{id}"]"#, #"exec: [ls, "{id}"]"#),
        .route(
            "exec: ['ls {id} > /tmp/x']", "write [sh, -c, ", #"exec: [sh, -c, 'ls "$XCALLBACK_PARAM_ID" > /tmp/x']"#),
        .route("exec: echo null -", "write [echo, 'null', '-']", "exec: [echo, 'null', '-']"),
    ]

    @Test(arguments: lines)
    func aMistakeInAProgramLeadsToItsMend(mistake: CommonMistake) throws { try mistake.check() }

    @Test(arguments: ["exec: '  '", "exec: ['  ']"])
    func noListIsSuggestedForBlanks(handler: String) {
        let told = CommonMistake.told(of: "schemes: [notes]\nroutes:\n- route: /a\n  \(handler)\n")
        #expect(told.count == 1 && !told.joined().contains("write"), "\(told)")
    }
}
