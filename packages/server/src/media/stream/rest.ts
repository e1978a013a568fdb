import type { Forwarder } from '../rtp/hand-on.ts'

/** A tenth of a second, with the frame in which it began. */
const restFrames = 4

/** A stream or a room that has nothing to send is left alone for some frames, unless something changes. */
export class Rest {
  readonly #changes: Pick<Forwarder, 'count'>
  #left = 0
  #asOf = -1

  constructor(changes: Pick<Forwarder, 'count'>) {
    this.#changes = changes
  }

  get rests(): boolean {
    return this.#left > 0 && this.#asOf === this.#changes.count
  }

  begin(): 0 {
    this.#left = restFrames
    this.#asOf = this.#changes.count
    return 0
  }

  end(): void {
    this.#left = 0
  }

  /** Asked in every frame. */
  goesOn(): boolean {
    if (!this.rests) return false
    this.#left--
    return true
  }
}
