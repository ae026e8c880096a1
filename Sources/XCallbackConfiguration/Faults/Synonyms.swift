/// Words that other programs use instead of those of the configuration.
enum Synonyms {
    /// Returns the words that a synonym, in lowercase without hyphens, could mean.
    static func of(_ word: String) -> [String] { words[word] ?? [] }

    private static let words = [
        // Types.
        "integer": ["int"], "long": ["int"], "float": ["number"], "double": ["number"], "decimal": ["number"],
        "boolean": ["bool"], "flag": ["bool"], "str": ["string"], "text": ["string"], "datetime": ["date"],
        "timestamp": ["date"], "time": ["date", "timeout"], "uri": ["url"], "guid": ["uuid"], "bytes": ["data"],
        "base64": ["data"], "binary": ["data"], "array": ["list"], "choice": ["enum"], "oneof": ["enum", "values"],
        // Keys of a parameter.
        "enum": ["values"], "choices": ["values"], "options": ["values"], "optional": ["required"],
        "minimum": ["min"], "maximum": ["max"], "pattern": ["charset", "route"], "regex": ["charset"],
        "items": ["of"], "element": ["of"],
        // Keys of a route.
        "path": ["route"], "params": ["input"], "parameters": ["input"], "query": ["input"], "policy": ["policies"],
        "middlewares": ["middleware"], "command": ["exec"], "cmd": ["exec"], "run": ["exec"], "shell": ["exec"],
        "execute": ["exec"], "response": ["respond"], "reply": ["respond"], "return": ["respond"],
        "forward": ["redirect"], "emit": ["publish"], "private": ["public"], "disabled": ["enabled"],
        "dir": ["cwd"], "folder": ["cwd"], "workdir": ["cwd"], "environment": ["env"],
        // Others.
        "loglevel": ["log"], "logging": ["log"], "warn": ["warning"], "verbose": ["debug"], "fatal": ["critical"],
        "web": ["desktop"], "browser": ["desktop"], "cli": ["socket"], "uid": ["user"], "users": ["user"],
        "gid": ["group"], "ratelimit": ["rate"], "limit": ["rate", "limits"], "password": ["token"],
        "secret": ["token"], "ask": ["confirm"],
    ]
}
