import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { GatewayClock } from './gateway.ts'

/** What the caller said or pressed. Undefined: nothing. */
export type Gathered = { speech: string; confidence: number } | { digits: string; endedBy: string } | undefined

/** What is waited for, and how long. */
export interface GatherWish {
  speech: boolean
  keys: boolean
  /** 0: for ever. */
  timeoutSeconds: number
  digits?: number
  /** Keys that end it. */
  finishOnKey: string
}

export interface GatheringParts {
  wish: GatherWish
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
    this.#wait(this.#parts.wish.timeoutSeconds * 1000)
  }

  /** Gives whether the event was meant for it. */
  take(event: LiveEvent): boolean {
    const { speech, keys } = this.#parts.wish
    if (this.#over) return false
    if (event.type === 'dtmf_received' && keys) this.#pressed(event.digit)
    else if (event.type === 'user_speak' && speech) this.#done({ speech: event.text, confidence: event.confidence ?? 0.9 })
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
    const { wish, onKey } = this.#parts
    onKey()
    if (wish.finishOnKey.includes(key)) return this.#done(this.#pressedSoFar(key))
    this.#digits += key
    if (this.#digits.length >= (wish.digits ?? Infinity)) this.#done(this.#pressedSoFar(''))
    else this.listen()
  }

  #pressedSoFar(endedBy: string): Gathered {
    return this.#digits === '' ? undefined : { digits: this.#digits, endedBy }
  }

  #wait(ms: number): void {
    this.#cancel()
    if (!this.#over && ms > 0) this.#cancel = this.#parts.clock.after(ms, () => this.#done(this.#pressedSoFar('')))
  }

  #done(gathered: Gathered): void {
    this.close()
    this.#parts.onDone(gathered)
  }
}
