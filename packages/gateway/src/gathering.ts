import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { GatewayClock } from './gateway.ts'

/** Speech or keys of the caller. Undefined: none. */
export type Gathered = { speech: string; confidence: number } | { digits: string; endedBy: string } | undefined

/** Expected input and time limit. */
export interface GatherRequest {
  speech: boolean
  keys: boolean
  /** 0: no limit. */
  timeoutSeconds: number
  digits?: number
  /** Keys that end it. */
  finishOnKey: string
}

interface GatheringDeps {
  wish: GatherRequest
  clock: Pick<GatewayClock, 'after'>
  /** The caller presses keys: stops the prompt. */
  onKey: () => void
  onDone: (gathered: Gathered) => void
}

/** Milliseconds for a transcript after the caller has started to speak. */
const speakingMs = 15_000

/** Collects speech or keys of the caller until the input is complete or the time is up. */
export class Gathering {
  readonly #deps: GatheringDeps
  #digits = ''
  #cancel: () => void = () => {}
  #ended = false

  constructor(deps: GatheringDeps) {
    this.#deps = deps
  }

  /** The prompt has ended: starts the time limit. */
  listen(): void {
    this.#wait(this.#deps.wish.timeoutSeconds * 1000)
  }

  /** Returns whether it consumed the event. */
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
