import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { GatewayClock } from './gateway.ts'

/** What the caller said or pressed. Undefined: nothing. */
export type Gathered = { speech: string; confidence: number } | { digits: string; endedBy: string } | undefined

/** What is waited for, and how long. */
export interface GatherRequest {
  speech: boolean
  keys: boolean
  /** 0: for ever. */
  timeoutSeconds: number
  digits?: number
  /** Keys that end it. */
  finishOnKey: string
}

export interface GatheringDeps {
  wish: GatherRequest
  clock: Pick<GatewayClock, 'after'>
  /** The caller presses keys: nothing more is said. */
  onKey: () => void
  onDone: (gathered: Gathered) => void
}

/** A caller who has begun to speak is given this time to be understood. */
const speakingMs = 15_000

/** Collects what the caller says or presses, until it is enough or nothing comes. */
export class Gathering {
  readonly #deps: GatheringDeps
  #digits = ''
  #cancel: () => void = () => {}
  #ended = false

  constructor(deps: GatheringDeps) {
    this.#deps = deps
  }

  /** Everything was said: from now on the caller is waited for, but not for ever. */
  listen(): void {
    this.#wait(this.#deps.wish.timeoutSeconds * 1000)
  }

  /** Gives whether the event was meant for it. */
  take(event: LiveEvent): boolean {
    const { speech, keys } = this.#deps.wish
    if (this.#ended) return false
    if (event.type === 'dtmf_received' && keys) this.#pressed(event.digit)
    else if (event.type === 'user_speak' && speech) this.#done({ speech: event.text, confidence: event.confidence ?? 0.9 })
    else if (event.type === 'user_speech_started' && speech) this.#wait(speakingMs)
    else if (event.type === 'user_speech_unclear' && speech) this.listen()
    else return false
    return true
  }

  close(): void {
    this.#ended = true
    this.#cancel()
  }

  #pressed(key: string): void {
    const { wish: input, onKey } = this.#deps
    onKey()
    if (input.finishOnKey.includes(key)) return this.#done(this.#pressedSoFar(key))
    this.#digits += key
    if (this.#digits.length >= (input.digits ?? Infinity)) this.#done(this.#pressedSoFar(''))
    else this.listen()
  }

  #pressedSoFar(endedBy: string): Gathered {
    return this.#digits === '' ? undefined : { digits: this.#digits, endedBy }
  }

  #wait(ms: number): void {
    this.#cancel()
    if (!this.#ended && ms > 0) this.#cancel = this.#deps.clock.after(ms, () => this.#done(this.#pressedSoFar('')))
  }

  #done(gathered: Gathered): void {
    this.close()
    this.#deps.onDone(gathered)
  }
}
