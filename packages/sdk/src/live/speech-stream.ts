import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { SpeechFields } from '../answering.ts'

export type SpeechPiece = Omit<ActionOf<'speak'>, 'session_id' | 'turn'>

/** A clause and the beginning of what follows it: less cannot be spoken, because nobody knows yet where the breath ends. */
const breath = /\S{2,}[,;:.!?…]["'”’)]*\s+\S/
const maxHeldChars = 140
/** A voice does not wait for more than that either. */
const maxBreathChars = 400

/**
 * Words of one speech, as they come. The first breath goes out token by token, because the caller waits for it; what follows in pieces that a voice
 * can use, because every frame is an entry in the timeline of the call.
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

  /** Something of it was sent: it will sound. */
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
    if (breath.test(this.#held) || this.#held.length >= maxHeldChars) this.#flush(false)
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
