import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { SpeechFields } from '../answering.ts'

export type SpeechPiece = Omit<ActionOf<'speak'>, 'session_id' | 'turn'>

/** A clause plus the start of the next word: before that the end of the clause is uncertain. */
const breath = /\S{2,}[,;:.!?…]["'”’)]*\s+\S/
/** Vapi's sign that the text before it shall be said at once. */
const flush = /<flush\s?\/?>/i
const maxHeldChars = 140
/** A TTS voice does not buffer more either. */
const maxBreathChars = 400

/**
 * Streams the text of one speech. The first clause is sent token by token, because the caller waits for it; the rest in clauses, because
 * every frame is an entry in the call's timeline.
 */
export class SpeechStream {
  readonly id: string
  readonly #fields: SpeechFields
  readonly #send: (piece: SpeechPiece) => void
  #held = ''
  #first = ''
  #started = false
  #breathed = false

  constructor(id: string, fields: SpeechFields, send: (piece: SpeechPiece) => void) {
    this.id = id
    this.#fields = fields
    this.#send = send
  }

  /** Part of it was sent, so it will be played. */
  get started(): boolean {
    return this.#started
  }

  put(text: string): void {
    this.#held += text
    if (!this.#started && this.#held.trim() === '') return
    if (!this.#breathed) {
      this.#first += text
      this.#breathed = this.#first.length > maxBreathChars || breath.test(this.#first)
      return this.#flush(false)
    }
    if (breath.test(this.#held) || flush.test(this.#held) || this.#held.length >= maxHeldChars) this.#flush(false)
  }

  end(): void {
    if (this.#started) this.#flush(true)
  }

  #flush(last: boolean): void {
    const fields = this.#started ? {} : this.#fields
    this.#started = true
    this.#send({ type: 'speak', stream_id: this.id, text: this.#held, last, ...fields })
    this.#held = ''
  }
}
