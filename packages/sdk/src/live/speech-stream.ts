import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { SpeechFields } from '../answering.ts'

export type SpeechPiece = Omit<ActionOf<'speak'>, 'session_id' | 'turn'>

/** A clause and the beginning of what follows it: less cannot be spoken, because nobody knows yet where the breath ends. */
const breath = /\S{2,}[,;:.!?…]["'”’)]*\s+\S/
const longestHeld = 140
/** A voice does not wait for more than that either. */
const longestBreath = 400

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
  #begun = false
  #breathed = false

  constructor(id: string, fields: SpeechFields, send: (piece: SpeechPiece) => void) {
    this.id = id
    this.#fields = fields
    this.#send = send
  }

  /** Something of it was sent: it will sound. */
  get begun(): boolean {
    return this.#begun
  }

  put(text: string): void {
    this.#held += text
    if (!this.#begun && this.#held.trim() === '') return
    if (!this.#breathed) {
      this.#first += text
      this.#breathed = this.#first.length > longestBreath || breath.test(this.#first)
      return this.#flush(false)
    }
    if (breath.test(this.#held) || this.#held.length >= longestHeld) this.#flush(false)
  }

  end(): void {
    if (this.#begun) this.#flush(true)
  }

  #flush(last: boolean): void {
    const fields = this.#begun ? {} : this.#fields
    this.#begun = true
    this.#send({ type: 'speak', stream_id: this.id, text: this.#held, last, ...fields })
    this.#held = ''
  }
}
