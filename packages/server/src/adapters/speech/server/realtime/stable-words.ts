/** Words that two partial transcripts in a row agree on: they are sent once and not taken back. */
export class StableWords {
  #before: readonly string[] = []
  #sent = 0

  /** Newly stable words, with the space before them. */
  next(text: string): string | undefined {
    if (text === '') return undefined
    const words = text.split(/\s+/).filter((word) => word !== '')
    const differing = words.findIndex((word, index) => word !== this.#before[index])
    // The last word may be cut off.
    const stable = Math.min(differing < 0 ? words.length : differing, words.length - 1)
    this.#before = words
    if (stable <= this.#sent) return undefined
    const fresh = words.slice(this.#sent, stable).join(' ')
    const delta = this.#sent === 0 ? fresh : ` ${fresh}`
    this.#sent = stable
    return delta
  }
}
