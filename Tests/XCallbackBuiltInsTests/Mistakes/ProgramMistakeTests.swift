import Testing

/// What people write by mistake where a program and its arguments are expected.
struct ProgramMistakeTests {
    static let lines: [CommonMistake] = [
        .route(
            #"exec: echo "{id}" > /tmp/x"#, "write [sh, -c, ", #"exec: [sh, -c, 'echo "$XCALLBACK_PARAM_ID" > /tmp/x']"#
        ),
        .route(
            "exec: [sh, -c, 'echo {id}']", #"or let the code read "$XCALLBACK_PARAM_ID""#,
            #"exec: [sh, -c, 'echo "$XCALLBACK_PARAM_ID"']"#),
        .route("exec: ['/bin/ls -l']", "each word", "exec: [/bin/ls, -l]"),
        .route("exec: ['ls {id}']", "each word", #"exec: [ls, "{id}"]"#),
    ]

    /// What only a shell reads, in an argument of another program.
    static let words: [CommonMistake] = [
        .route("exec: [ls, '>/tmp/x']", "or [sh, -c, ", "exec: [sh, -c, 'ls >/tmp/x']"),
        .route("exec: [ls, '$(pwd)']", "or [sh, -c, ", "exec: [sh, -c, 'ls $(pwd)']"),
        .route("exec: [echo, $XCALLBACK_PARAM_ID]", "such as '{name}'", #"exec: [echo, "{id}"]"#),
        .route("exec: [echo, 'is ${{XCALLBACK_URL}}']", "such as '{name}'", #"exec: [echo, "is {@url}"]"#),
    ]

    /// Variables in code that nobody sets.
    static let variables: [CommonMistake] = [
        .route(
            "exec: [sh, -c, 'echo $XCALLBACK_PARAM_IT']", "did you mean XCALLBACK_PARAM_ID?",
            "exec: [sh, -c, 'echo $XCALLBACK_PARAM_ID']"),
        .route(
            #"exec: [env, bash, -ec, 'echo "${{XCALLBACK_PARAM_TEXT:-}}"']"#, "with 'input: { text: string }'",
            "input: { text: string }\n  exec: [env, bash, -ec, 'echo \"${{XCALLBACK_PARAM_TEXT:-}}\"']"),
        .route(
            #"exec: [sh, -c, 'echo "$id"']"#, #"the parameter is in "$XCALLBACK_PARAM_ID""#,
            #"exec: [sh, -c, 'echo "$XCALLBACK_PARAM_ID"']"#),
        .route(
            #"exec: [sh, -c, 'echo "${XCALLBACK_PARAM_ID}"']"#, "in shell code '${' is written '${{'",
            #"exec: [sh, -c, 'echo "${{XCALLBACK_PARAM_ID}}"']"#),
    ]

    @Test(arguments: words + variables)
    func whatNoShellReadsOrSetsLeadsToItsFix(mistake: CommonMistake) throws {
        try mistake.check()
        #expect(mistake.told.count == 1)
    }

    @Test(arguments: [
        "[echo, 'Saved; it costs $5', 'Saved; see the log', 'Notes | Home', 'a && b', 'Fish && Chips', 'a > b', '>= 5', '<b>hi</b>', ';-)', '2 * 3', '*', 'text/*']",
        "[find, /tmp, -name, '*.txt']", "[grep, --include, '*.md', x]", "[jq, '.a | sort']",
        "[ssh, host, 'cd /x && ls']",
        "[env, A=1, sh, -c, 'ls *.txt | wc']", "[sh, -c, 'echo ${{HOME}} $HOME $1', x]", "[awk, '{{print $id}}']",
        "[sh, -c, 'id=7; echo $id']", "[sh, -c, 'read -r id; echo $id']",
        "[sh, -c, 'env | grep XCALLBACK_PARAM_; echo $XCALLBACK_REQUEST_ID']",
        "[python3, -c, 'import os; print(os.environ[\"XCALLBACK_PARAM_ID\"])']",
    ])
    func whatIsMeantAsItStandsIsNotWarnedOf(list: String) {
        let told = CommonMistake.told(of: "schemes: [notes]\nroutes:\n- route: /a/:id\n  exec: \(list)\n")
        #expect(told.filter { !$0.contains("is not in the PATH") } == [])
    }

    @Test(arguments: lines)
    func aMistakeInAProgramLeadsToItsFix(mistake: CommonMistake) throws { try mistake.check() }

    @Test func noListIsSuggestedForBlanks() {
        let told = CommonMistake.told(of: "schemes: [notes]\nroutes:\n- route: /a\n  exec: '  '\n")
        #expect(told.count == 1 && !told.joined().contains("sh, -c"), "\(told)")
    }
}
