/**
 * Lines of Python as a tree: a Pratt parser for names, expressions and subscripts.
 *
 * A statement is { targets, value, from, to }: the names that it gives, and an expression. A node of an expression has a `type`, its
 * parts, and its place in the text, `from` and `to`.
 */
import { Problem } from "./problem.mjs";
import { tokens } from "./tokens.mjs";

/** The strength with which signs between two expressions bind; ** binds to the right. */
const BINDS = Object.fromEntries(
  [["<", "<=", ">", ">=", "==", "!="], ["|"], ["^"], ["&"], ["+", "-"], ["*", "@", "/", "//"], ["**"]].flatMap(
    (signs, strength) => signs.map((sign) => [sign, strength + 1]),
  ),
);
const COMPARES = 1;
const SIGNED = 6.5; // - x, + x and ~ x: less than **, more than the others

/** Words of Python that this language does without. */
const KEYWORDS = new Set("and as assert class def del elif else for from if import in is lambda not or raise while with".split(" "));
const LOOPS = "There are no loops here. A matrix product, or a function with `dim`, does the work of one.";

const CONSTANTS = { True: true, False: false, None: null };

/** The statements of a text. Raises Problem. */
export function parse(text) {
  const parser = new Parser(tokens(text));
  const statements = [];
  while (!parser.finished()) {
    if (parser.here.kind !== "end") statements.push(parser.statement());
    parser.endOfLine();
  }
  return statements;
}

class Parser {
  constructor(all) {
    this.all = all;
    this.place = 0;
  }

  get here() {
    return this.all[this.place];
  }

  finished() {
    return this.place >= this.all.length;
  }

  is(text) {
    return this.here.text === text && this.here.kind === "sign";
  }

  take() {
    return this.all[this.place++];
  }

  accept(text) {
    return this.is(text) ? this.take() : null;
  }

  /** The bracket that closes one. */
  close(text, opening) {
    if (this.is(text)) return this.take();
    if (this.here.kind === "end") throw new Problem(`\`${opening.text}\` is never closed.`, opening);
    throw this.unexpected();
  }

  endOfLine() {
    if (this.here.kind !== "end") throw this.unexpected();
    this.take();
  }

  unexpected() {
    const { text, kind } = this.here;
    if (text === "for" || text === "while") return new Problem(LOOPS, this.here);
    if (KEYWORDS.has(text)) return new Problem(`There is no \`${text}\` here.`, this.here);
    if (kind === "end") return new Problem("Something is missing at the end of this line.", this.last());
    if (text === "=") return new Problem("`=` gives a name to a value, and stands once. `==` compares.", this.here);
    if (/^..?=$/.test(text)) {
      return new Problem(`\`${text}\` writes into the tensor itself. Give the result a name of its own.`, this.here);
    }
    return new Problem(`\`${text}\` does not belong here, or a sign before it is missing.`, this.here);
  }

  /** The token before this one, for what is missing after it. */
  last() {
    return this.all[Math.max(0, this.place - 1)];
  }

  statement() {
    const { from } = this.here;
    if (this.here.text === "return" && this.here.kind === "name") {
      this.take();
      return { targets: [], value: this.several(), from, to: this.last().to };
    }
    const targets = [];
    let value = this.several();
    while (this.is("=")) {
      this.take();
      targets.push(target(value));
      value = this.several();
    }
    return { targets, value, from, to: this.last().to };
  }

  /** An expression, or a tuple of several without brackets. */
  several() {
    const first = this.starred();
    if (!this.is(",")) return first;
    const items = [first];
    while (this.accept(",")) {
      if (this.here.kind === "end" || this.is("=") || this.is(")") || this.is("]")) break;
      items.push(this.starred());
    }
    return { type: "tuple", items, from: first.from, to: this.last().to };
  }

  starred() {
    const star = this.accept("*");
    if (!star) return this.expression();
    const value = this.expression();
    return { type: "star", value, from: star.from, to: value.to };
  }

  expression(least = 0) {
    let left = this.operand();
    for (;;) {
      const sign = this.here;
      const binds = sign.kind === "sign" ? BINDS[sign.text] : undefined;
      if (binds === undefined || binds <= least) return left;
      this.take();
      const right = this.expression(sign.text === "**" ? SIGNED : binds);
      left = { type: "binary", sign: sign.text, left, right, at: sign, from: left.from, to: right.to };
      if (binds === COMPARES && BINDS[this.here.text] === COMPARES) {
        throw new Problem("Compare two at a time: `(a < b) & (b < c)`.", this.here);
      }
    }
  }

  /** An operand: an atom with all that follows it, or one with a sign before it. */
  operand() {
    const sign = this.accept("-") ?? this.accept("+") ?? this.accept("~");
    if (!sign) return this.followed(this.atom());
    const value = this.expression(SIGNED);
    return { type: "unary", sign: sign.text, value, from: sign.from, to: value.to };
  }

  followed(value) {
    for (;;) {
      if (this.is(".")) value = this.attribute(value);
      else if (this.is("(")) value = this.call(value);
      else if (this.is("[")) value = this.subscript(value);
      else return value;
    }
  }

  attribute(value) {
    this.take();
    if (this.here.kind !== "name") throw new Problem("After the dot, a name is missing.", this.last());
    const name = this.take();
    return { type: "attribute", value, name: name.text, at: name, from: value.from, to: name.to };
  }

  call(callee) {
    const opening = this.take();
    const given = [];
    const named = [];
    while (!this.is(")")) {
      const [name, equals] = [this.here, this.all[this.place + 1]];
      if (name.kind === "name" && equals.kind === "sign" && equals.text === "=") {
        this.place += 2;
        named.push({ name: name.text, value: this.expression(), from: name.from, to: this.last().to });
      } else if (named.length) throw new Problem("Arguments with a name come last.", this.here);
      else given.push(this.starred());
      if (KEYWORDS.has(this.here.text)) throw this.unexpected();
      if (!this.accept(",")) break;
    }
    const { to } = this.close(")", opening);
    return { type: "call", callee, given, named, at: callee.at ?? callee, from: callee.from, to };
  }

  subscript(value) {
    const opening = this.take();
    const items = [this.index()];
    while (this.accept(",") && !this.is("]")) items.push(this.index());
    const { to } = this.close("]", opening);
    return { type: "subscript", value, items, at: opening, from: value.from, to };
  }

  /** One place in brackets: an expression, or a slice, start:stop:step. */
  index() {
    const { from } = this.here;
    const bound = () => (this.is(":") || this.is(",") || this.is("]") ? null : this.expression());
    const start = bound();
    if (!this.accept(":")) {
      if (start) return start;
      throw this.unexpected();
    }
    const stop = bound();
    const step = this.accept(":") ? bound() : null;
    return { type: "slice", start, stop, step, from, to: this.last().to };
  }

  atom() {
    const token = this.here;
    const { from, to, text } = token;
    if (token.kind === "number") {
      this.take();
      return { type: "number", value: Number(text.replaceAll("_", "")), float: /[.eE]/.test(text), from, to };
    }
    if (token.kind === "text") {
      this.take();
      return { type: "text", value: text.slice(1, -1), from, to };
    }
    if (token.kind === "name" && !KEYWORDS.has(text)) {
      this.take();
      if (Object.hasOwn(CONSTANTS, text)) return { type: "constant", value: CONSTANTS[text], from, to };
      return { type: "name", name: text, from, to };
    }
    if (this.accept("...")) return { type: "ellipsis", from, to };
    if (this.is("(")) return this.inBrackets(")");
    if (this.is("[")) return this.inBrackets("]");
    throw this.unexpected();
  }

  inBrackets(closing) {
    const opening = this.take();
    const inside = this.several();
    const { to } = this.close(closing, opening);
    if (inside.type === "tuple") return { ...inside, from: opening.from, to };
    return closing === ")"
      ? { ...inside, from: opening.from, to }
      : { type: "tuple", items: [inside], from: opening.from, to };
  }
}

/** The target of an assignment: a name, or several. */
function target(node) {
  if (node.type === "name") return node;
  if (node.type === "tuple" && node.items.length) return { ...node, items: node.items.map(target) };
  throw new Problem("Left of `=` stands a name, or several with commas between them.", node);
}
