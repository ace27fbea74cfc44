import { openObject } from "./bytes.ts";
import { asBuffer } from "./utf8.ts";

/**
 * Objects of one shape have the same bytes except for those of their strings, numbers and booleans. A shape is compiled
 * to a regular expression, which reads an object about eight times as fast as a cursor. It never tries a byte twice in
 * vain, so it takes linear time.
 */
interface Shape<T> {
  /** The text of the regular expression. */
  readonly source: string;
  readonly expression: RegExp;
  /** The length of what precedes each mark, from the mark before it; −1 where it differs and is captured. */
  readonly lengths: readonly number[];
  readonly meaning: T;
}

/** Strings, with what makes a string a key, numbers and booleans. */
const tokens = /"(?:[^"\\]|\\.)*"([ \t\n\r]*:)?|-?\d[-+.\deE]*|true|false/gs;
const plainString = '"[^"\\\\\\x00-\\x1f]*"';
const anyString = '"[^"\\\\\\x00-\\x1f]*(?:\\\\(?:["\\\\/bfnrt]|u[\\dA-Fa-f]{4})[^"\\\\\\x00-\\x1f]*)*"';
const anyBoolean = "(?:true|false)";
const anyNumber = "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][-+]?\\d+)?";

/**
 * Longer values, and those with more strings, numbers and booleans, are not learned: compiling an expression takes time
 * that grows with their number, and thousands of them overflow the compiler's stack.
 */
const maxLearnedBytes = 8_192;
const maxVariables = 64;
/**
 * Once all shapes are taken, a new one is learned after so many texts, which bounds what texts in ever new shapes cost.
 */
const textsPerShape = 16;
/** Values of each text that are looked at for shapes, so that texts without common shapes cost little more. */
const maxLessons = 4;
/** After this many texts in sequence of which less than half was read by shapes, most texts are not tried. */
const maxPoorTexts = 8;
const textsPerTry = 16;
/** Sources of values that had no shape; the second value with one of them makes it a shape. */
const maxSources = 8;

/** The shapes of values that were read before, in texts of one origin. */
export class ValueShapes<T> {
  readonly #maxShapes: number;
  readonly #shapes: Shape<T>[] = [];
  readonly #sources: string[] = [];
  #poorTexts = 0;
  #untried = 0;
  #textsSinceShape = 0;

  /** @param maxShapes those used last are kept */
  constructor(maxShapes: number) {
    this.#maxShapes = maxShapes;
  }

  /**
   * Opens a text. Returns undefined when the texts before it had few values in common.
   * @param bytes valid UTF-8
   * @param latin1 all bytes as Latin-1, if they are decoded already
   */
  open(bytes: Uint8Array, latin1?: string): ShapeReader<T> | undefined {
    this.#textsSinceShape++;
    if (this.#poorTexts >= maxPoorTexts && ++this.#untried % textsPerTry !== 0) return undefined;
    return new ShapeReader(this, asBuffer(bytes), latin1);
  }

  /** Notes how many values of a text were read by shapes, and how many were not. */
  close(read: number, others: number): void {
    this.#poorTexts = read < others ? this.#poorTexts + 1 : 0;
  }

  /** Returns the shape of the value at `at`, whose expression has matched it, with what it has captured. */
  find(
    text: string,
    at: number,
  ): { readonly shape: Shape<T>; readonly captured: RegExpExecArray } | undefined {
    const shapes = this.#shapes;
    for (let index = 0; index < shapes.length; index++) {
      const shape = shapes[index]!;
      shape.expression.lastIndex = at;
      const captured = shape.expression.exec(text);
      if (captured === null) continue;
      if (index > 0) {
        shapes.splice(index, 1);
        shapes.unshift(shape);
      }
      return { shape, captured };
    }
    return undefined;
  }

  /** Learns the shape of a value when a second one has it. @param marks offsets in the text, ascending */
  learn(text: string, marks: readonly number[], meaning: T): void {
    const isFull = this.#shapes.length >= this.#maxShapes;
    if (isFull && this.#textsSinceShape < textsPerShape) return;
    const { source, lengths, variables } = compileShape(text, marks);
    if (variables > maxVariables) return;
    if (this.#shapes.some((shape) => shape.source === source)) return;
    if (!this.#sources.includes(source)) {
      this.#sources.unshift(source);
      this.#sources.splice(maxSources);
      return;
    }
    this.#textsSinceShape = 0;
    this.#shapes.unshift({ source, expression: new RegExp(source, "y"), lengths, meaning });
    this.#shapes.splice(this.#maxShapes);
  }
}

/** Bytes of a text that are decoded at a time. */
const windowBytes = 65_536;
/** A value that does not match may continue after the window if the window ends within this many bytes. */
const nearBytes = 16_384;

/** Reads the values of one text which have a known shape. */
export class ShapeReader<T> {
  /** The byte after the last value. */
  end = 0;
  /** The offsets of the marks in the last value. */
  readonly marks: number[] = [];
  readonly #shapes: ValueShapes<T>;
  readonly #bytes: Buffer;
  #window: string;
  #windowStart = 0;
  #lessons = maxLessons;
  #read = 0;
  #others = 0;

  constructor(shapes: ValueShapes<T>, bytes: Buffer, latin1 = bytes.toString("latin1", 0, windowBytes)) {
    this.#shapes = shapes;
    this.#bytes = bytes;
    this.#window = latin1;
  }

  /** Returns the meaning of the value at a byte, and sets `end` and `marks`; undefined if its shape is not known. */
  read(at: number): T | undefined {
    if (at >= this.#windowStart + this.#window.length) this.#move(at);
    let found = this.#shapes.find(this.#window, at - this.#windowStart);
    if (found === undefined && this.#endsNear(at)) {
      this.#move(at);
      found = this.#shapes.find(this.#window, 0);
    }
    if (found === undefined) {
      this.#others++;
      return undefined;
    }
    this.#read++;
    const { shape, captured } = found;
    const { lengths, expression, meaning } = shape;
    const { marks } = this;
    let place = at;
    let group = 1;
    for (let index = 0; index < lengths.length; index++) {
      const length = lengths[index]!;
      place += length >= 0 ? length : captured[group++]!.length;
      marks[index] = place;
    }
    this.end = this.#windowStart + expression.lastIndex;
    return meaning;
  }

  /**
   * Learns from an object that was not read here.
   * @param marks offsets in the text, ascending, at which values within it begin or end. A string that begins at one
   * has no escapes in the values that are read here.
   */
  learn(start: number, end: number, marks: readonly number[], meaning: T): void {
    if (this.#lessons === 0 || end - start > maxLearnedBytes || this.#bytes[start] !== openObject) return;
    this.#lessons--;
    const text = this.#bytes.toString("latin1", start, end);
    this.#shapes.learn(
      text,
      marks.map((mark) => mark - start),
      meaning,
    );
  }

  /** To be called after the last value. */
  finish(): void {
    this.#shapes.close(this.#read, this.#others);
  }

  #endsNear(at: number): boolean {
    const windowEnd = this.#windowStart + this.#window.length;
    return windowEnd < this.#bytes.length && windowEnd - at < nearBytes;
  }

  #move(start: number): void {
    this.#window = this.#bytes.toString("latin1", start, start + windowBytes);
    this.#windowStart = start;
  }
}

interface Source extends Pick<Shape<unknown>, "source" | "lengths"> {
  /** The number of strings, numbers and booleans. */
  readonly variables: number;
}

function compileShape(text: string, marks: readonly number[]): Source {
  const lengths: number[] = [];
  let source = "";
  /** The source since the last mark, and the length of what it matches; −1 if that differs. */
  let part = "";
  let length = 0;
  let last = 0;
  let variables = 0;
  const addBytes = (to: number): void => {
    part += text.slice(last, to).replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    if (length >= 0) length += to - last;
    last = to;
  };
  const addMarks = (to: number): void => {
    for (let mark = marks[lengths.length]; mark !== undefined && mark <= to; mark = marks[lengths.length]) {
      addBytes(mark);
      source += length >= 0 ? part : `(${part})`;
      lengths.push(length);
      part = "";
      length = 0;
    }
    addBytes(to);
  };
  for (const { 0: token, 1: colon, index } of text.matchAll(tokens)) {
    if (colon !== undefined) continue;
    variables++;
    addMarks(index);
    part += patternOf(token, marks.includes(index));
    length = -1;
    last = index + token.length;
  }
  addMarks(text.length);
  return { source: source + part, lengths, variables };
}

function patternOf(token: string, isMarked: boolean): string {
  if (token.startsWith('"')) return isMarked ? plainString : anyString;
  return token === "true" || token === "false" ? anyBoolean : anyNumber;
}
