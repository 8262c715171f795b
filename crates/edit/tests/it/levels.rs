//! Every level finds what it is for, and a looser one includes the stricter ones.

use toolcrib_edit::Level::{
    Escapes, Exact, FinalNewline, Gutter, Indentation, LineEndings, TrailingWhitespace, Typography,
};

use super::check;

#[test]
fn exact_is_literal() {
    check(Exact, "a b c\n", "b", "d", "a d c\n");
    check(Exact, "price: 1\n", "1", "$& \\1 $1 \\n %s", "price: $& \\1 $1 \\n %s\n");
    check(Exact, "a.c abc\n", "a.c", "x", "x abc\n");
    check(Exact, "one\ntwo\nthree\n", "two\n", "", "one\nthree\n");
    check(Exact, "fo\nx = 10\n", "x = 1", "x = 2", "fo\nx = 20\n");
    check(Exact, "a\r\nb\r\n", "a\r\nb", "a\r\nc", "a\r\nc\r\n");
    check(Exact, "é漢", "漢", "字", "é字");
    check(Exact, "   ", "   ", "", "");
}

#[test]
fn line_endings() {
    check(LineEndings, "a\r\nb\r\nc\r\n", "a\nb\n", "a\nx\n", "a\r\nx\r\nc\r\n");
    check(LineEndings, "a\nb\nc\n", "a\r\nb\r\n", "a\r\nx\r\n", "a\nx\nc\n");
    check(LineEndings, "a\r\nb\nc\n", "a\nb\n", "x\nb\n", "x\r\nb\nc\n");
    check(LineEndings, "fo\r\nbar", "o\nb", "o\nc", "fo\r\ncar");
    // A literal match would begin between CR and LF.
    check(LineEndings, "a\r\nb\r\n", "\nb", "\nc", "a\r\nc\r\n");
    check(LineEndings, "a\r\nb\r\n", "\nb", "", "a\r\n");
}

#[test]
fn trailing_whitespace() {
    check(TrailingWhitespace, "a  \nb\n", "a\nb\n", "a\nc\n", "a  \nc\n");
    check(TrailingWhitespace, "a\nb\n", "a \nb\t\n", "a \nc\t\n", "a\nc\n");
    check(TrailingWhitespace, "f(x);\ng();\n", "f(x); ", "f(y); ", "f(y);\ng();\n");
    check(TrailingWhitespace, "x\n\t\ny\n", "x\n\ny", "x\n\nz", "x\n\t\nz\n");
    check(TrailingWhitespace, "x\n\ny\n", "x\n    \ny", "x\n    \nz", "x\n\nz\n");
    check(TrailingWhitespace, "a \r\nb\r\n", "a\nb\n", "a\nc\n", "a \r\nc\r\n");
    check(TrailingWhitespace, "  do(a  \n  b)\n", "(a\n  b)", "(a\n  c)", "  do(a  \n  c)\n");
}

#[test]
fn indentation() {
    let text = "impl A {\n    fn f() {\n        g();\n    }\n}\n";
    check(
        Indentation,
        text,
        "fn f() {\n    g();\n}\n",
        "fn f() {\n    g();\n\n    h();\n}\n",
        "impl A {\n    fn f() {\n        g();\n\n        h();\n    }\n}\n",
    );
    check(
        Indentation,
        text,
        "        fn f() {\n            g();\n",
        "        fn f() {\n            if x {\n                g();\n            }\n",
        "impl A {\n    fn f() {\n        if x {\n            g();\n        }\n    }\n}\n",
    );
    check(
        Indentation,
        "\tif a:\n\t\tb\n",
        "  if a:\n    b\n",
        "  if a:\n    b\n    c\n",
        "\tif a:\n\t\tb\n\t\tc\n",
    );
    check(Indentation, "  if a:\n    b\n", "\tif a:\n\t\tb\n", "\tif a:\n\t\tc\n", "  if a:\n    c\n");
    check(Indentation, "  b\n", "    b", "    c", "  c\n");
    // Trailing white space and line endings on top of it.
    check(Indentation, "  a \r\n  b\r\n", "a\nb\n", "a\nc\n", "  a \r\n  c\r\n");
    // The first line begins inside a line of the text, so only the others are shifted.
    check(
        Indentation,
        "  x = f(\n    a,\n  )\n",
        "f(\n  a,\n)",
        "f(\n  a,\n  b,\n)",
        "  x = f(\n    a,\n    b,\n  )\n",
    );
}

#[test]
fn final_newline() {
    check(FinalNewline, "a\nb", "b\n", "c\n", "a\nc");
    check(FinalNewline, "a\nb", "a\nb\n", "a\nb\nc\n", "a\nb\nc");
    check(FinalNewline, "a\nb", "b\n", "", "a\n");
    check(FinalNewline, "a \nf(b)\t", "a\nf(b)\n", "a\nf(c)\n", "a \nf(c)\t");
    check(FinalNewline, "a\nb\nc\n", "a\nb\n\n", "a\nx\n\n", "a\nx\nc\n");
    check(FinalNewline, "a\nb\n", "b\n\n", "c\n\n", "a\nc\n");
    check(FinalNewline, "a\r\n  f(b) ", "f(b)\n", "f(c)\n", "a\r\n  f(c) ");
}

#[test]
fn typography() {
    check(Typography, "say(\"hi\");\n", "say(“hi”)", "say(“ho”)", "say(\"ho\");\n");
    check(Typography, "it’s – so\n", "it's - so", "it's - not", "it’s – not\n");
    check(Typography, "a\u{a0}b c\n", "a b", "a b d", "a\u{a0}b d c\n");
    check(Typography, "x - y\n", "x − y", "x − z", "x - z\n");
    check(Typography, "  “a”  \r\n  b\r\n", "\"a\"\nb\n", "\"a\"\nc\n", "  “a”  \r\n  c\r\n");
    check(
        Typography,
        "if a:\n    b\n",
        "if a:\n\u{a0}\u{a0}\u{a0} b\n",
        "if a:\n\u{a0}\u{a0}\u{a0} c\n",
        "if a:\n    c\n",
    );
}

#[test]
fn gutter() {
    let text = "a\nfn f() {\n    g();\n}\n";
    check(
        Gutter,
        text,
        "     2\tfn f() {\n     3\t    g();\n     4\t}\n",
        "     2\tfn f() {\n     3\t    h();\n     4\t}\n",
        "a\nfn f() {\n    h();\n}\n",
    );
    check(
        Gutter,
        text,
        "     3→    g();",
        "     3→    g();\n     4→    h();",
        "a\nfn f() {\n    g();\n    h();\n}\n",
    );
    check(Gutter, text, "3\t    g();", "    h();", "a\nfn f() {\n    h();\n}\n");
    check(Gutter, "a\n\nb\n", "     1\ta\n     2\n     3\tb", "     1\ta\n     2\n     3\tc", "a\n\nc\n");
    // A number alone is a blank line whose tab was lost, if the old text has it too. Otherwise it is a number.
    check(Gutter, "a\n\nb\n", "1\ta\n2\n3\tb", "1\ta\n2\n3\tb\n42", "a\n\nb\n42\n");
    // Numbers of the new text that are written in another way are its own.
    check(Gutter, "a\nb\n", "     1\ta\n     2\tb", "1\tx\n2\ty", "1\tx\n2\ty\n");
    check(Gutter, "a\nb\n", "     1→a", "     1\tx", "     1\tx\nb\n");
    check(Gutter, "a\nb\n", "     1\ta", "x\n     2\ty", "x\ny\nb\n");
    check(Gutter, "a\r\nb \r\n", "     8\ta\n     9\tb\n", "     8\ta\n     9\tc\n", "a\r\nc\r\n");
}

#[test]
fn escapes() {
    check(Escapes, "f(\"a\");\n", "f(\\\"a\\\");", "f(\\\"b\\\");", "f(\"b\");\n");
    check(Escapes, "if x:\n\ty\n", "if x:\\n\\ty", "if x:\\n\\ty\\n\\tz", "if x:\n\ty\n\tz\n");
    check(Escapes, "a\nb\n", "a\\nb", "c", "c\n");
    check(
        Escapes,
        "p = \"C:\\\\d\"\n",
        "p = \\\"C:\\\\\\\\d\\\"",
        "p = \\\"C:\\\\\\\\e\\\"",
        "p = \"C:\\\\e\"\n",
    );
    check(Escapes, "a\r\nb \r\n", "a\\nb\\n", "a\\nc\\n", "a\r\nc\r\n");
    check(Escapes, "a\nb\n", "     1\\ta\\n     2\\tb", "     1\\ta\\n     2\\tc", "a\nc\n");
}
