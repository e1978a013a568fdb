/** µ-law, one byte a sample. */
const bytesPerMs = 8

interface SpokenItem {
  id: string
  contentIndex: number
  fromMs: number
  ms: number
}

export interface Truncation {
  item_id: string
  content_index: number
  audio_end_ms: number
}

/** What the model has said, item by item, and which of it was heard. Counts as the service does: all sound of the session that was heard. */
export class SpokenItems {
  #items: SpokenItem[] = []
  #sentMs = 0
  /** Cut off: what still comes of it is not wanted. */
  #cut: string | undefined

  /** False: it was cut off already. */
  add(id: string, contentIndex: number, bytes: number): boolean {
    if (id === this.#cut) return false
    let item = this.#items.at(-1)
    if (item?.id !== id) {
      item = { id, contentIndex, fromMs: this.#sentMs, ms: 0 }
      this.#items.push(item)
    }
    item.ms += bytes / bytesPerMs
    this.#sentMs += bytes / bytesPerMs
    return true
  }

  /** The caller begins to speak over what was said last. */
  cut(): void {
    this.#cut = this.#items.at(-1)?.id ?? this.#cut
  }

  /** Only so much was heard: gives what the model has to forget. */
  heardUntil(playedMs: number): Truncation[] {
    this.cut()
    const forgotten = this.#items.filter(({ fromMs, ms }) => fromMs + ms > playedMs)
    this.#items = []
    this.#sentMs = playedMs
    return forgotten.map(({ id, contentIndex, fromMs }) => ({
      item_id: id,
      content_index: contentIndex,
      audio_end_ms: Math.max(0, Math.round(playedMs - fromMs)),
    }))
  }
}
