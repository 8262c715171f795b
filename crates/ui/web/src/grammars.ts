// The part of highlight.js that is used: its engine, the languages below, and an emitter that collects tokens.

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scss from "highlight.js/lib/languages/scss";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { Token } from "./highlight";

const LANGUAGES = {
  bash, c, cpp, csharp, css, dockerfile, go, ini, java, javascript, json, kotlin, lua, makefile, markdown, php, python,
  ruby, rust, scss, sql, swift, typescript, xml, yaml,
};

const ENDINGS: Record<string, keyof typeof LANGUAGES> = {
  sh: "bash", bash: "bash", zsh: "bash", c: "c", h: "c", cc: "cpp", cpp: "cpp", cxx: "cpp", hpp: "cpp", cs: "csharp", css: "css",
  go: "go", ini: "ini", toml: "ini", cfg: "ini", conf: "ini", java: "java", js: "javascript", mjs: "javascript", cjs: "javascript",
  jsx: "javascript", json: "json", jsonc: "json", kt: "kotlin", kts: "kotlin", lua: "lua", mk: "makefile", md: "markdown",
  markdown: "markdown", php: "php", py: "python", pyi: "python", rb: "ruby", rs: "rust", scss: "scss", sass: "scss", sql: "sql",
  swift: "swift", ts: "typescript", mts: "typescript", cts: "typescript", tsx: "typescript", html: "xml", htm: "xml", xml: "xml",
  svg: "xml", vue: "xml", yml: "yaml", yaml: "yaml", ipynb: "json",
};

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** Takes what the engine finds; the engine's own emitter would make markup of it. */
class Tokens {
  readonly found: Token[] = [];
  private scopes: string[] = [];

  addText(text: string): void {
    if (text !== "") this.found.push({ text, kind: this.scopes.at(-1) ?? "" });
  }
  startScope(scope: string): void {
    this.scopes.push(scope.split(".")[0] ?? "");
  }
  endScope(): void {
    this.scopes.pop();
  }
  openNode(scope: string): void {
    this.startScope(scope);
  }
  closeNode(): void {
    this.endScope();
  }
  __addSublanguage(other: Tokens): void {
    this.found.push(...other.found);
  }
  finalize(): void {}
  toHTML(): string {
    return "";
  }
}

hljs.configure({ __emitter: Tokens } as object);

export function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name === "makefile" || name === "dockerfile") return name;
  const ending = name.slice(name.lastIndexOf(".") + 1);
  // A file may be called `constructor`.
  return Object.hasOwn(ENDINGS, ending) ? ENDINGS[ending] : undefined;
}

/** The tokens of each line. */
export function lines(text: string, language: string): Token[][] {
  const result = hljs.highlight(text, { language, ignoreIllegals: true });
  const found = (result as unknown as { _emitter: Tokens })._emitter.found;
  const all: Token[][] = [[]];
  for (const { text, kind } of found) {
    text.split("\n").forEach((part, at) => {
      if (at > 0) all.push([]);
      if (part !== "") all.at(-1)?.push({ text: part, kind });
    });
  }
  return all;
}
