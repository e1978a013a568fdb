import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { GatewayClock } from '../gateway.ts'
import type { Gather } from './twiml.ts'

/** What the caller said or pressed, as the fields of the form. Undefined: nothing. */
export type Gathered = Readonly<Record<string, string>> | undefined

export interface GatheringParts {
  gather: Pick<Gather, 'speech' | 'keys' | 'timeoutSeconds' | 'digits' | 'finishOnKey'>
  clock: Pick<GatewayClock, 'after'>
  /** The caller presses keys: nothing more is said. */
  onKey: () => void
  onDone: (gathered: Gathered) => void
}

/** A caller who has begun to speak is given this time to be understood. */
const speakingMs = 15_000

/** Collects what the caller says or presses, until it is enough or nothing comes. */
export class Gathering {
  readonly #parts: GatheringParts
  #digits = ''
  #cancel: () => void = () => {}
  #over = false

  constructor(parts: GatheringParts) {
    this.#parts = parts
  }

  /** Everything was said: from now on the caller is waited for, but not for ever. */
  listen(): void {
    this.#wait(this.#parts.gather.timeoutSeconds * 1000)
  }

  /** Gives whether the event was meant for it. */
  take(event: LiveEvent): boolean {
    const { speech, keys } = this.#parts.gather
    if (this.#over) return false
    if (event.type === 'dtmf_received' && keys) this.#pressed(event.digit)
    else if (event.type === 'user_speak' && speech) this.#done({ SpeechResult: event.text, Confidence: String(event.confidence ?? 0.9) })
    else if (event.type === 'user_speech_started' && speech) this.#wait(speakingMs)
    else if (event.type === 'user_speech_unclear' && speech) this.listen()
    else return false
    return true
  }

  close(): void {
    this.#over = true
    this.#cancel()
  }

  #pressed(key: string): void {
    const { gather, onKey } = this.#parts
    onKey()
    if (gather.finishOnKey.includes(key)) return this.#done(this.#digits === '' ? undefined : { Digits: this.#digits, FinishedOnKey: key })
    this.#digits += key
    if (this.#digits.length >= (gather.digits ?? Infinity)) this.#done({ Digits: this.#digits, FinishedOnKey: '' })
    else this.listen()
  }

  #wait(ms: number): void {
    this.#cancel()
    if (!this.#over)
      this.#cancel = this.#parts.clock.after(ms, () =>
        this.#done(this.#digits === '' ? undefined : { Digits: this.#digits, FinishedOnKey: '' }),
      )
  }

  #done(gathered: Gathered): void {
    this.close()
    this.#parts.onDone(gathered)
  }
}
