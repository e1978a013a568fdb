/** A text was not parsed because it would take too long or fill the memory. */
export class JsonTooComplex extends Error {
  override name = 'JsonTooComplex'
}

/** A string of a JSON text, without its quotes. */
export interface JsonSpan {
  from: number
  to: number
}

export interface JsonLimits {
  /** Nesting depth of arrays and objects. */
  maxDepth?: number
  /** Values in all arrays and objects. */
  maxValues?: number
  /** Members of one object. */
  maxMembers?: number
  /** Characters, excluding long strings. */
  maxLength?: number
  /** Escapes in all strings. */
  maxEscapes?: number
  /** Strings with more characters are long and reported. */
  longString?: number
}

/** Deeper values overflow the stack of recursive code. */
const usualDepth = 100
/** JSON.parse takes a few milliseconds for them. */
const usualValues = 50_000
/** Validators name every unknown member. */
const usualMembers = 1_000
/** Escapes take ten times as long as other characters. Audio of 4 MB has 65,000 slashes, which some programs escape. */
const usualEscapes = 300_000
/** A number with millions of digits takes as long as everything else. */
const maxTokenLength = 1_000
/** Characters below which a text cannot exceed any limit. */
const harmless = 2_000
/** Steps after which a scan may be interrupted: about a millisecond. */
const stepsAtOnce = 50_000

/** JSON.parse with limits. Throws JsonTooComplex, or SyntaxError like JSON.parse. */
export const parseBoundedJson = (text: string, limits: JsonLimits = {}): unknown => {
  requireBoundedJson(text, limits)
  return JSON.parse(text)
}

/** For text parsed elsewhere. Throws JsonTooComplex. */
export const requireBoundedJson = (text: string, limits: JsonLimits = {}): void => {
  if (text.length < harmless) return
  const scan = scanJson(text, limits)
  while (scan.next().done !== true);
}

/**
 * Scans a text before it is parsed and reports long strings. Makes one pass, which ends where a limit is exceeded (JsonTooComplex) and
 * yields regularly, so that a large text does not block others. Invalid JSON is left to the parser.
 */
export function* scanJson(text: string, limits: JsonLimits = {}): Generator<void, JsonSpan[]> {
  const scanner = new Scanner(text, limits)
  while (scanner.advance(stepsAtOnce)) yield
  return scanner.long
}

const [quote, backslash, comma, colon, space] = [0x22, 0x5c, 0x2c, 0x3a, 0x20]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

const usual: Required<JsonLimits> = {
  maxDepth: usualDepth,
  maxValues: usualValues,
  maxMembers: usualMembers,
  maxLength: Infinity,
  maxEscapes: usualEscapes,
  longString: Infinity,
}

class Scanner {
  readonly long: JsonSpan[] = []
  readonly #text: string
  readonly #limits: Required<JsonLimits>
  /** Members of the open objects, innermost last; lists are included. */
  readonly #members: number[] = []
  #at = 0
  #values = 0
  #longCharacters = 0
  #escapes = 0
  /** Length of the current number or word. */
  #token = 0
  /** Start of the current string. */
  #string: number | undefined
  /** Next quote and backslash from here on. */
  #quote = -1
  #backslash = -1

  constructor(text: string, limits: JsonLimits) {
    this.#text = text
    this.#limits = { ...usual, ...limits }
  }

  /** Returns false when done. */
  advance(steps: number): boolean {
    for (let left = steps; left > 0; left--) {
      if (this.#at >= this.#text.length) return false
      if (this.#string === undefined) this.#outside()
      else this.#inside(this.#string)
    }
    return true
  }

  #outside(): void {
    const code = this.#text.charCodeAt(this.#at++)
    const token = this.#token
    this.#token = 0
    if (code === quote) this.#string = this.#at
    else if (code === comma) this.#count()
    else if (code === colon) this.#countMember()
    else if (code === openList || code === openObject) this.#open()
    else if (code === closeList || code === closeObject) this.#members.pop()
    else if (code > space && (this.#token = token + 1) > maxTokenLength) refuse('digits in a number', maxTokenLength)
    if (this.#at - this.#longCharacters > this.#limits.maxLength) refuse('characters', this.#limits.maxLength)
  }

  /** Moves to the end of the string, or past its next escape. */
  #inside(from: number): void {
    if (this.#quote < this.#at) this.#quote = indexOrEnd(this.#text, '"', this.#at)
    if (this.#backslash < this.#at) this.#backslash = indexOrEnd(this.#text, '\\', this.#at)
    const end = this.#quote
    if (this.#backslash < end) {
      this.#at = this.#backslash + 2
      while (this.#text.charCodeAt(this.#at) === backslash && this.#at - this.#backslash < runAtOnce) this.#at += 2
      this.#escapes += (this.#at - this.#backslash) / 2
      if (this.#escapes > this.#limits.maxEscapes) refuse('escapes', this.#limits.maxEscapes)
      return
    }
    this.#string = undefined
    this.#at = end + 1
    if (end === this.#text.length || end - from <= this.#limits.longString) return
    this.long.push({ from, to: end })
    this.#longCharacters += end - from
  }

  #open(): void {
    this.#count()
    if (this.#members.push(0) > this.#limits.maxDepth) throw new JsonTooComplex(`it is nested more than ${this.#limits.maxDepth} deep`)
  }

  #countMember(): void {
    const members = (this.#members.pop() ?? 0) + 1
    this.#members.push(members)
    if (members > this.#limits.maxMembers) throw new JsonTooComplex(`an object has more than ${this.#limits.maxMembers} members`)
  }

  #count(): void {
    if (++this.#values > this.#limits.maxValues) refuse('values', this.#limits.maxValues)
  }
}

/** Consecutive escape characters that count as one step. */
const runAtOnce = 16

const indexOrEnd = (text: string, sign: string, at: number): number => {
  const found = text.indexOf(sign, at)
  return found < 0 ? text.length : found
}

const refuse = (what: string, most: number): never => {
  throw new JsonTooComplex(`it has more than ${most} ${what}`)
}
