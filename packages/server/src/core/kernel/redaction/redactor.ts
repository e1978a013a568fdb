import { redactText, type Redaction } from './redact-text.ts'
import { tokensOf } from './spoken-tokens.ts'

/** Ids, addresses of ours and other things that nobody has said. */
const unsaid = new Set(
  'session session_id sessionId event_id eventId callId call_id flowId account_id id turn_token stream_id type kind url headers target'.split(
    ' ',
  ),
)
/** Numbers that measure or count. */
const isMeasure = /(?:ms|at|bytes|tokens|sequence|turn|timestamp|created|version|attempt|status)$/i
/** In its place: what nobody can tell anything from before the rest is known. */
const hidden = '…'

/** What is not kept of a session, wherever it stands. */
export class Redactor {
  readonly #kinds: readonly Redaction[]
  /** Some number is not to be kept. */
  readonly hidesNumbers: boolean

  constructor(kinds: readonly Redaction[]) {
    this.#kinds = kinds
    this.hidesNumbers = kinds.some((kind) => kind !== 'email')
  }

  text(text: string): string {
    return redactText(text, this.#kinds)
  }

  /** Of a number of which the end is not known yet. */
  begun(text: string): string {
    return redactText(text, this.hidesNumbers ? [...this.#kinds, 'digits'] : this.#kinds)
  }

  /** A piece of what is said: what it begins may become something that is not to be kept. */
  piece(text: string): string {
    return text.includes('@') || tokensOf(text).some(({ digits }) => digits) ? hidden : this.text(text)
  }

  /** JSON, or something that was meant to be. */
  body(body: string): string {
    let value: unknown
    try {
      value = JSON.parse(body)
    } catch {
      return this.text(body)
    }
    const kept = this.value(value)
    return kept === value ? body : JSON.stringify(kept)
  }

  /** The same object if nothing of it is left out. */
  value(value: unknown, name = ''): unknown {
    if (unsaid.has(name)) return value
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number') return this.#number(value, name)
    if (Array.isArray(value)) return this.#list(value)
    return typeof value === 'object' && value !== null ? this.#object(value as Record<string, unknown>) : value
  }

  #number(value: number, name: string): unknown {
    if (!Number.isSafeInteger(value) || isMeasure.test(name)) return value
    const kept = this.text(String(value))
    return kept === String(value) ? value : kept
  }

  #list(list: readonly unknown[]): readonly unknown[] {
    const kept = list.map((one) => this.value(one))
    return kept.every((one, index) => one === list[index]) ? list : kept
  }

  #object(object: Record<string, unknown>): Record<string, unknown> {
    const kept = Object.entries(object).map(([name, value]) => [name, this.#field(object, name, value)] as const)
    const { text, words } = object
    const isSaid = typeof text === 'string' && this.text(text) === text
    if (Array.isArray(words) && !isSaid) return Object.fromEntries(kept.filter(([name]) => name !== 'words')) // word by word it would be all there
    return kept.every(([name, value]) => value === object[name]) ? object : Object.fromEntries(kept)
  }

  #field(object: Record<string, unknown>, name: string, value: unknown): unknown {
    if (typeof value !== 'string') return this.value(value, name)
    if (name === 'text' && typeof object['stream_id'] === 'string' && object['type'] === 'speak') return this.piece(value)
    if (name === 'heard_text') return this.begun(value)
    return name === 'digit' ? this.key(value) : this.value(value, name)
  }

  /** Of several keys nobody knows the first one of: they may be a card's number. */
  key(digit: string): string {
    return this.hidesNumbers && /^\d$/.test(digit) ? '•' : digit
  }
}
