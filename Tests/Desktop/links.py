"""The links of the page: 99 URLs, most of them such that a program on the way could change them."""

NESTED = "notes%3A%2F%2Fx-callback-url%2Fecho%3Ftext%3D1%2526x-success%253Ddone%25253A%25252Fok"

# The values of the attribute, after its character references are replaced.
TEXTS = [
    # Common forms.
    "notes://x-callback-url/echo?text=plain",
    "notes:/echo?text=Hello%20there&x-success=done%3A%2F%2Fok",
    "notes:/echo?text=a&x-source=page&x-success=done:/ok&x-error=done:/error&x-cancel=done:/cancel",
    "notes:/echo?x-success=" + NESTED,
    "notes:/echo?x-success=notes:/echo?text=1&text=2",
    # Private routes, in every spelling that a page can use.
    "notes:/private",
    "notes:///private",
    "notes://x-callback-url/private?x-success=done:/ok",
    "notes:/echo?text=a&x-success=notes:/private",
    "notes:/nowhere?x-error=notes%3A%2Fprivate",
    "notes:/x/../private",
    "notes:/%70rivate",
    # ASCII punctuation, in every position.
    "notes:/echo?text=!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "notes://x-callback-url/a!\"$&'()*+,-.:;<=>@[\\]^_`{|}~/b",
    "notes:/echo#!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "notes:opaque!\"$&'()*+,-.:;<=>@[\\]^_`{|}~",
    "notes://x-callback-url/it's?text='single'",
    'notes://x-callback-url/say"?text="double"',
    "notes:/echo?text=back\\slash",
    "notes:/echo?text=a|b||c",
    "notes:/echo?text=^~`",
    "notes:/echo?text=<b>&lt;/b>",
    "notes:/echo?text={a}[b](c)",
    # Text that a shell would run or expand.
    "notes:/echo?text=$(touch owned)",
    "notes:/echo?text=`touch owned`",
    "notes:/echo?text=$HOME${PATH}$$",
    "notes:/echo?text=1;touch owned;",
    "notes:/echo?text=1|touch owned&&touch owned||:",
    "notes:/echo?text=>owned<owned",
    "notes:/echo?text=*?[a-z]~",
    "notes:$(touch${IFS}owned)",
    # Text that the Exec key of a desktop entry would expand.
    "notes:/echo?text=%u%U%f%F%i%c%k%%",
    "notes:%u",
    "notes:/echo?text=%25u%25%25",
    # Text that a program could treat as an option.
    "notes:--help",
    "notes:/echo?text=--opener=x",
    "notes:-",
    # Percent signs.
    "notes:/echo?text=%",
    "notes:/echo?text=100%&b=1",
    "notes:/echo?text=%4",
    "notes:/echo?text=%zz%",
    "notes:/echo?text=%00",
    "notes:/%00",
    "notes:/echo?text=a%0Ab%0D%0Ac%09",
    "notes:/echo?text=%7F%1B[31m%07",
    "notes:/echo?text=%41%62%2d%5F%7e",
    "notes:/echo?text=%c3%a9%C3%A9",
    "notes:/echo?text=%2526%252526",
    "notes:/a%2Fb%3Fc%23d",
    "notes:/echo?text=%FF%C0%80%ED%A0%80",
    # Blanks, and characters that a browser removes.
    "notes:/echo?text=a b  c",
    "notes:/a b/c d",
    "notes:opaque with blanks ",
    "  notes:/echo?text=around  ",
    "notes:/ec\nho?te\txt=li\rne",
    "no\ntes:/echo",
    "notes:/echo?text=\x01\x1f\x7f",
    # Non-ASCII characters.
    "notes:/echo?text=é",
    "notes:/echo?text=e\u0301",
    "notes:/é/ü?ß=ö#ä",
    "notes:opaqué",
    "notes://éxample/a",
    "notes:/echo?text=日本語",
    "notes:/echo?text=🎉👩\u200d👧",
    "notes:/echo?text=שלום مرحبا",
    "notes:/echo?text=\u202egnp.exe\u202c",
    "notes:/echo?text=\ufeff\u00a0\u2028\u3000",
    "notes:/echo?text=\U0010ffff\ufffd",
    # Forms of URLs.
    "NOTES:/Echo?Text=A",
    "NoTeS://X-Callback-URL/echo",
    "web+notes:/echo?text=a",
    "n-1.2:/echo?text=a",
    "notes:",
    "notes:/",
    "notes://",
    "notes:///",
    "notes:///x",
    "notes:x",
    "notes:x/y",
    "notes://host:80/x",
    "notes://user:pass@host/x",
    "notes://[::1]/x",
    "notes:/a/./b/../c//d/",
    "notes:/%2e%2E/x",
    # Queries and fragments.
    "notes:?",
    "notes:#",
    "notes:/echo?",
    "notes:/echo?#",
    "notes:/echo??text=a?b?",
    "notes:/echo#text?a=b#c",
    "notes:/echo?&&text=&=&=a&text",
    "notes:/echo?text=1&text=2&text=1&TEXT=3",
    "notes:/echo?text=a+b%2Bc+",
    "notes:/echo?text=a;b=c;d",
    # Long URLs.
    "notes:/echo?text=" + "a" * 2100,
    "notes:/echo?text=" + "%E2%82%AC%20" * 2730,
]

# The source text of the page.
MARKUP = [
    "notes:/echo?text=a&amp;amp;b=c&copy=1&para;d&lt=2&notanentity;",
    "notes:/echo?text=&#x41;&#0;&#10;&quot;&apos;",
]

# URLs set by a script, including those that markup cannot express.
SCRIPTED = [
    "notes:/echo?text=\\ud800x\\u0000y",
]

assert len(TEXTS) + len(MARKUP) + len(SCRIPTED) == 99
