/** So often in a row the caller hears words of ours instead of an answer that no voice could say. */
const maxRequests = 2

export interface UnsaidSpeechDeps {
  /** Asks the caller to say it again: perhaps a voice can say what is answered then. */
  askAgain: () => void
  /** Nothing can be said to the caller any more. */
  giveUp: () => void
}

/** What no voice could say: our own words may be there as sound, because they were said before. */
export class UnsaidSpeech {
  readonly #deps: UnsaidSpeechDeps
  /** Something could not be said since everything was quiet. */
  #unsaid = false
  /** How often the caller was asked since an answer was heard. */
  #asked = 0
  #asking = false

  constructor(deps: UnsaidSpeechDeps) {
    this.#deps = deps
  }

  /** Nothing of a speech could be heard. */
  add(): void {
    this.#unsaid = true
  }

  /** Something sounds. */
  heard(): void {
    this.#unsaid = false
    if (!this.#asking) this.#asked = 0
    this.#asking = false
  }

  /** Everything was said that could be. */
  quiet(): void {
    if (!this.#unsaid) return
    this.#unsaid = false
    if (this.#asking || this.#asked >= maxRequests) return this.#deps.giveUp()
    this.#asked += 1
    this.#asking = true
    this.#deps.askAgain()
  }
}
