import { voiceRate } from './voice-protocol.ts'

/** When the next sound of a speech is needed: when that before it is over. On the clock of `performance`. */
export class SoundDue {
  #at: number

  /** `aheadMs` of the speech are still to be played. */
  constructor(aheadMs: number) {
    this.#at = performance.now() + aheadMs
  }

  get at(): number {
    return this.#at
  }

  gave(samples: number): void {
    this.#at = Math.max(this.#at, performance.now()) + (samples * 1000) / voiceRate
  }
}
