/**
 * Lines of Python as a tree: a Pratt parser for names, expressions and subscripts.
 *
 * A statement is { targets, value }: the names that it gives, and an expression. A node of an expression has a `type`, its
 * parts, and its place in the text, `from` and `to`.
 */
import { Problem } from "./problem.mjs";

const TOKENS = [
  ["space", /[ \t\u00a0]+|#[^\n]*|\\\n/y],
  ["end", /\r?\n|;/y],
  ["number", /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?/y],
  ["name", /[\p{L}_][\p{L}\p{N}_]*/uy],
  ["text", /"[^"\n]*"|'[^'\n]*'/y],
  ["sign", /\*\*=?|\/\/=?|[-+*/%@&|^]=|[<>=!]=|\.\.\.|[-+*/%@&|^~<>=.,:()[\]{}]/y],
];

/** The strength with which signs between two expressions bind; ** binds to the right. */
const BINDS = Object.fromEntries(
  [["<", "<=", ">", ">=", "==", "!="], ["|"], ["^"], ["&"], ["+", "-"], ["*", "@", "/", "//"], ["**"]].flatMap(
    (signs, strength) => signs.map((sign) => [sign, strength + 1]),
  ),
);
const COMPARES = 1;
const SIGNED = 6.5; // - x, + x and ~ x: less than **, more than the others

/** Words of Python that this language does without. */
const KEYWORDS = new Set(
  "and as assert class def del elif else for from if import in is lambda not or raise while with".split(" "),
);
const LOOPS = "There are no loops here. A matrix product, or a function with `dim`, does the work of one.";

const CONSTANTS = { True: true, False: false, None: null };

/** The tokens of a text, { kind, text, from, to }, the last of the kind "end". Brackets may go over several lines. Raises Problem. */
export function tokens(text) {
  const found = [];
  let open = 0;
  for (let from = 0; from < text.length;) {
    const token = nextToken(text, from);
    open = Math.max(0, open + ("([{".includes(token.text) ? 1 : ")]}".includes(token.text) ? -1 : 0));
    if (token.kind !== "space" && !(token.kind === "end" && open && token.text !== ";")) found.push(token);
    from = token.to;
  }
  return [...found, { kind: "end", text: "", from: text.length, to: text.length }];
}

function nextToken(text, from) {
  for (const [kind, pattern] of TOKENS) {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    if (found) return { kind, text: found[0], from, to: pattern.lastIndex };
  }
  const sign = String.fromCodePoint(text.codePointAt(from));
  throw new Problem(`Python has no \`${sign}\`.`, { from, to: from + sign.length });
}

/** The statements of a text. Raises Problem. */
export function parse(text) {
  const parser = new Parser(tokens(text));
  const statements = [];
  while (parser.here) {
    if (parser.here.kind !== "end") statements.push(parser.statement());
    if (parser.here.kind !== "end") throw parser.unexpected();
    parser.take();
  }
  return statements;
}

class Parser {
  place = 0;

  constructor(all) {
    this.all = all;
  }

  get here() {
    return this.all[this.place];
  }

  /** The token before this one. */
  get last() {
    return this.all[Math.max(0, this.place - 1)];
  }

  is(...signs) {
    return this.here.kind === "sign" && signs.includes(this.here.text);
  }

  take() {
    return this.all[this.place++];
  }

  accept(...signs) {
    return this.is(...signs) ? this.take() : null;
  }

  /** A node that ends with the token before this one. */
  node(type, { from }, parts) {
    return { type, ...parts, from, to: this.last.to };
  }

  unexpected() {
    const { text, kind } = this.here;
    if (["for", "while"].includes(text)) return new Problem(LOOPS, this.here);
    if (KEYWORDS.has(text)) return new Problem(`There is no \`${text}\` here.`, this.here);
    if (kind === "end") return new Problem("Something is missing at the end of this line.", this.last);
    if (/^[-+*/%@&|^]{1,2}=$/.test(text)) {
      return new Problem(`\`${text}\` writes into the tensor itself. Give the result a name of its own.`, this.here);
    }
    return new Problem(`\`${text}\` does not belong here, or a sign before it is missing.`, this.here);
  }

  statement() {
    if (this.here.kind === "name" && this.here.text === "return") {
      this.take();
      return { targets: [], value: this.several() };
    }
    const targets = [];
    let value = this.several();
    while (this.accept("=")) {
      targets.push(target(value));
      value = this.several();
    }
    return { targets, value };
  }

  /** An expression, or a tuple of several without brackets. */
  several() {
    const first = this.starred();
    if (!this.is(",")) return first;
    const items = [first];
    while (this.accept(",")) {
      if (this.here.kind === "end" || this.is("=", ")", "]")) break;
      items.push(this.starred());
    }
    return this.node("tuple", first, { items });
  }

  starred() {
    const star = this.accept("*");
    return star ? this.node("star", star, { value: this.expression() }) : this.expression();
  }

  expression(least = 0) {
    let left = this.operand();
    for (;;) {
      const sign = this.here;
      const binds = sign.kind === "sign" ? BINDS[sign.text] : undefined;
      if (binds === undefined || binds <= least) return left;
      this.take();
      const right = this.expression(sign.text === "**" ? SIGNED : binds);
      left = this.node("binary", left, { sign: sign.text, left, right });
      if (binds === COMPARES && BINDS[this.here.text] === COMPARES) {
        throw new Problem("Compare two at a time: `(a < b) & (b < c)`.", this.here);
      }
    }
  }

  /** An operand: an atom with all that follows it, or one with a sign before it. */
  operand() {
    const sign = this.accept("-", "+", "~");
    if (sign) return this.node("unary", sign, { value: this.expression(SIGNED), sign: sign.text });
    let value = this.atom();
    for (;;) {
      if (this.is(".")) value = this.attribute(value);
      else if (this.is("(")) value = this.call(value);
      else if (this.is("[")) value = this.subscript(value);
      else return value;
    }
  }

  attribute(value) {
    this.take();
    if (this.here.kind !== "name") throw new Problem("After the dot, a name is missing.", this.last);
    const name = this.take();
    return this.node("attribute", value, { value, name: name.text, at: name });
  }

  /** What stands between brackets, with commas between. */
  bracketed(closing, item) {
    const opening = this.take();
    const items = [];
    while (!this.is(closing)) {
      items.push(item());
      if (!this.accept(",")) break;
    }
    if (this.accept(closing)) return items;
    if (this.here.kind === "end") throw new Problem(`\`${opening.text}\` is never closed.`, opening);
    throw this.unexpected();
  }

  call(callee) {
    const all = this.bracketed(")", () => this.argument());
    const given = all.filter(({ name }) => !name).map(({ value }) => value);
    const named = all.filter(({ name }) => name);
    const early = all.findIndex(({ name }) => name);
    const late = all.find(({ name }, at) => !name && early >= 0 && at > early);
    if (late) throw new Problem("Arguments with a name come last.", late.value);
    return this.node("call", callee, { callee, given, named, at: callee.at ?? callee });
  }

  argument() {
    const [name, equals] = [this.here, this.all[this.place + 1]];
    if (name.kind !== "name" || equals.text !== "=") return { value: this.starred() };
    this.place += 2;
    return { value: this.expression(), name: name.text, from: name.from, to: this.last.to };
  }

  subscript(value) {
    const items = this.bracketed("]", () => this.index());
    if (!items.length) throw new Problem("Between these brackets an index is missing.", this.last);
    return this.node("subscript", value, { value, items });
  }

  /** One place in brackets: an expression, or a slice, start:stop:step. */
  index() {
    const from = this.here;
    const bound = () => (this.is(":", ",", "]") ? null : this.expression());
    const start = bound();
    if (!this.accept(":")) {
      if (start) return start;
      throw this.unexpected();
    }
    const stop = bound();
    return this.node("slice", from, { start, stop, step: this.accept(":") ? bound() : null });
  }

  atom() {
    if (this.is("(", "[")) return this.inBrackets();
    const token = this.here;
    const { kind, text } = token;
    if (!["number", "text", "name"].includes(kind) && !this.is("...")) throw this.unexpected();
    if (KEYWORDS.has(text)) throw this.unexpected();
    this.take();
    if (kind === "number") {
      return this.node("number", token, { value: Number(text.replaceAll("_", "")), float: /[.eE]/.test(text) });
    }
    if (kind === "text") return this.node("text", token, { value: text.slice(1, -1) });
    if (kind === "sign") return this.node("ellipsis", token);
    if (Object.hasOwn(CONSTANTS, text)) return this.node("constant", token, { value: CONSTANTS[text] });
    return this.node("name", token, { name: text });
  }

  /** A list, a tuple, or an expression in brackets. */
  inBrackets() {
    const opening = this.here;
    const closing = opening.text === "(" ? ")" : "]";
    const items = this.bracketed(closing, () => this.starred());
    const isTuple = closing === "]" || items.length !== 1 || this.all[this.place - 2].text === ",";
    return isTuple ? this.node("tuple", opening, { items }) : { ...items[0], from: opening.from, to: this.last.to };
  }
}

/** The target of an assignment: a name, or several. */
function target(node) {
  if (node.type === "name") return node;
  if (node.type === "tuple" && node.items.length) return { ...node, items: node.items.map(target) };
  throw new Problem("Left of `=` stands a name, or several with commas between them.", node);
}
