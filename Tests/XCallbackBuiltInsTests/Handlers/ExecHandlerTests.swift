import Testing

/// What a configuration may say of programs.
struct ExecHandlerTests {
    private static func faults(_ keys: String, input: String = "{}", pattern: String = "/a/:id{/:part}") -> [String] {
        Configured.faults(
            of: "schemes: [notes]\nroutes:\n- route: \(pattern)\n  input: \(input)\n  \(keys)\n")
    }

    static let faulty: [(String, String)] = [
        (
            "exec: notes",
            "5:9: expected a list of a program and its arguments, such as [notes, add, --, \"{text}\"], found 'notes'"
        ),
        ("exec: []", "5:9: expected a program and its arguments, found an empty list"),
        ("exec: ['']", "5:10: expected the name of a program, or its path, found ''"),
        ("exec: [bin/]", "5:10: expected the name of a program, or its path, found 'bin/'"),
        (
            "exec: [~ada/notes]",
            "5:10: '~' works only as '~/', the home of the daemon's user: expected that, or an absolute path"
        ),
        ("exec: [a]\n  cwd: ''", "6:8: expected the path of a folder, without placeholders, found ''"),
        ("exec: [a]\n  cwd: '{u}'", "6:8: expected the path of a folder, without placeholders, found '{u}'"),
        ("exec: [a]\n  env: [b]", "6:8: expected a mapping such as { NAME: value }, found a list"),
        (
            "exec: [a]\n  env: { A-B: b }",
            "6:10: expected the name of a variable: letters, digits and '_', and no digit first, found 'A-B'"
        ),
        (
            "exec: [a]\n  env: { XCALLBACK_URL: b }",
            "6:10: 'XCALLBACK_URL' is reserved for the daemon: choose another name"
        ),
        ("exec: [a]\n  env: { A: }", "6:13: expected text, found nothing"),
        (
            "exec: [a]\n  env: { LD_PRELOAD: '{@action}' }",
            "6:22: what 'LD_PRELOAD' makes programs run or load cannot come from a request"
        ),
        (
            "deliver: a\n  start: [b]\n  env: { A: '{@action}' }",
            "6:10: placeholders are not available: the program starts to receive requests, not for a single one"
        ),
        ("respond:\n  cwd: /", "6:3: unknown key 'cwd' in a route"),
        ("exec: ['{id}']", "5:10: the program cannot come from a request: write its name"),
        ("exec: [notes]\n  output: xml", "6:11: expected text, json, lines or none, found 'xml'"),
        (
            "exec: [notes]\n  cancel-status: 0",
            "6:18: expected a whole number from 1 to 255, found '0'"
        ),
        (
            "exec: [notes]\n  detach: true\n  output: text",
            "7:3: nothing reads the output of a detached program: leave 'output' out"
        ),
        ("respond: {}\n  output: text", "6:3: unknown key 'output' in a route"),
    ]

    private static let codeVariables = [
        "PATH", "ENV", "BASH_ENV", "SHELLOPTS", "IFS", "PS4", "ZDOTDIR", "FPATH", "GCONV_PATH", "PERLLIB", "PHPRC",
        "PHP_INI_SCAN_DIR", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "TCLLIBPATH", "PYTHONPATH",
        "PERL5OPT", "RUBYOPT", "NODE_OPTIONS", "LUA_INIT", "GIT_SSH_COMMAND", "LD_AUDIT",
    ]

    @Test(arguments: codeVariables)
    func aVariableThatSaysWhichCodeRunsIsLiteral(name: String) {
        #expect(
            Self.faults("exec: [a]\n  env: { \(name): '{@action}' }").first?.hasSuffix(
                ": what '\(name)' makes programs run or load cannot come from a request") == true)
        #expect(Self.faults("exec: [a]\n  env: { \(name): b, HOME: '{@action}', GITA: '{@action}' }").isEmpty)
    }

    @Test(arguments: faulty)
    func whatCannotBeMeantIsAFault(keys: String, fault: String) {
        let found = Self.faults(keys)
        #expect(found.count == 1 && found.first?.hasPrefix(fault) == true, "\(found)")
    }

    static let absent = ["part", "other", "optional", "@source", "@data.k"]

    @Test(arguments: absent)
    func aPlaceholderThatCanBeAbsentIsAFault(name: String) {
        let input = "{ optional: { type: string, required: false } }"
        #expect(
            Self.faults("exec: [notes, 'x{\(name)}']", input: input) == [
                "5:17: '{\(name)}' can be absent: expected a capture that every URL has, or a parameter that is "
                    + "declared under 'input' and is required or has a default"
            ])
    }

    static let code = [
        "'${NAME#*:}'", #"'{ echo "$A"; }'"#, "'{print $1}'", #"'{"code": 7}'"#, "'{`date`}'", #""{a\nb}""#,
    ]

    @Test(arguments: code)
    func bracesOfCodeAreNoPlaceholder(text: String) {
        let faults = Self.faults("exec: [notes, \(text)]")
        #expect(faults.count == 1, "\(faults)")
        let ending = " is not a placeholder: write '{{' and '}}' for braces of the text itself"
        #expect(faults.first?.hasPrefix("5:17: '{") == true && faults.first?.hasSuffix(ending) == true, "\(faults)")
    }

    @Test func aParameterMayHaveAnyNameThatIsDeclared() {
        #expect(Self.faults("exec: [notes, '{a$b}']", input: "{ 'a$b': string }") == [])
    }

    @Test func variablesOfTheSameNameAreAFault() {
        #expect(
            Self.faults("exec: [notes]", input: "{ a-b: string, A_B: string }") == [
                "5:9: the parameters 'a-b' and 'A_B' would both be XCALLBACK_PARAM_A_B in the environment of the "
                    + "program: rename one"
            ])
    }
}
