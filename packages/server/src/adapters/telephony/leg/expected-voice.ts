import type { LegAudio } from './leg-audio.ts'

/** Whether a far end that sends no audio is a fault: on hold and before the answer none is expected. */
export class ExpectedVoice {
  readonly #audio: LegAudio
  readonly #answered: () => boolean
  #silentSoFar = false

  constructor(audio: LegAudio, answered: () => boolean) {
    this.#audio = audio
    this.#answered = answered
  }

  /** Nothing was heard, or is heard again. False when it does not matter now; then it is looked at again once it does. */
  matters(): boolean {
    if (this.#expected) return true
    this.#silentSoFar = true
    return false
  }

  /** The leg was answered, or hold has changed. */
  look(): void {
    if (!this.#silentSoFar || !this.#expected) return
    this.#silentSoFar = false
    this.#audio.expectAnew()
  }

  get #expected(): boolean {
    return this.#answered() && !this.#audio.paused
  }
}
