import { redactText, type Redaction, tokensOf } from './redact-text.ts'

/** Fields that are never spoken, such as ids and our own URLs. */
const unsaid = new Set(
  'session session_id sessionId event_id eventId callId call_id flowId account_id id turn_token stream_id type kind url headers target'.split(
    ' ',
  ),
)
/** Fields that measure or count. */
const isMeasure = /(?:ms|at|bytes|tokens|sequence|turn|timestamp|created|version|attempt|status)$/i
/** Maximum characters to scan; more would block calls. The rest is dropped. A speech has at most 10,000. */
const maxLength = 12_000
/** Replaces text that cannot be judged before the rest is known. */
const hidden = '…'

/** Redacts the data of a session in any field. */
export class Redactor {
  readonly #kinds: readonly Redaction[]
  /** Any kind of number is redacted. */
  readonly hidesNumbers: boolean

  constructor(kinds: readonly Redaction[]) {
    this.#kinds = kinds
    this.hidesNumbers = kinds.some((kind) => kind !== 'email')
  }

  text(text: string): string {
    return text.length > maxLength ? `${redactText(text.slice(0, maxLength), this.#kinds)}${hidden}` : redactText(text, this.#kinds)
  }

  /** Redacts text that may end within a number. */
  begun(text: string): string {
    return redactText(text.slice(0, maxLength), this.hidesNumbers ? [...this.#kinds, 'digits'] : this.#kinds)
  }

  /** Redacts a piece of streamed speech, which may begin something sensitive. */
  piece(text: string): string {
    return text.includes('@') || tokensOf(text).some(({ digits }) => digits) ? hidden : this.text(text)
  }

  /** JSON, or text that was meant to be JSON. */
  body(body: string): string {
    if (body.length > maxLength) return this.text(body)
    let value: unknown
    try {
      value = JSON.parse(body)
    } catch {
      return this.text(body)
    }
    const kept = this.value(value)
    return kept === value ? body : JSON.stringify(kept)
  }

  /** Returns the same object if nothing is redacted. */
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
    if (Array.isArray(words) && !isSaid) return Object.fromEntries(kept.filter(([name]) => name !== 'words')) // the words would reveal the full text
    return kept.every(([name, value]) => value === object[name]) ? object : Object.fromEntries(kept)
  }

  #field(object: Record<string, unknown>, name: string, value: unknown): unknown {
    if (typeof value !== 'string') return this.value(value, name)
    if (name === 'text' && typeof object['stream_id'] === 'string' && object['type'] === 'speak') return this.piece(value)
    if (name === 'heard_text') return this.begun(value)
    return name === 'digit' ? this.key(value) : this.value(value, name)
  }

  /** Hides DTMF digits: a single key may belong to a card number. */
  key(digit: string): string {
    return this.hidesNumbers && /^\d$/.test(digit) ? '•' : digit
  }
}
