import { ConvertedSource, MemorySource, type SoundSource } from './sound-source.ts'

/** Called once per sound: it was completed or removed before. */
export type SoundEnded = (id: number, completed: boolean, playedSamples: number) => void

interface Sound {
  id: number
  source: SoundSource
  /** The source, at the rate of the playout. */
  reader: SoundSource
  /** Includes all rounds of a loop. */
  played: number
}

/** Plays sounds one after the other. A loop plays until it is stopped; an unfinished one is awaited in silence. */
export class Playout {
  readonly #queue: Sound[] = []
  readonly #ended: SoundEnded
  readonly #started: (id: number) => void
  #rate: number

  /** `began`: the first sample of a sound was read. */
  constructor(ended: SoundEnded, { rate = 8000, began = () => {} }: { rate?: number; began?: (id: number) => void } = {}) {
    this.#ended = ended
    this.#started = began
    this.#rate = rate
  }

  get playing(): boolean {
    return this.#queue.length > 0
  }

  /** Output rate. May change in the middle of a sound. */
  set rate(rate: number) {
    if (rate === this.#rate) return
    this.#rate = rate
    for (const sound of this.#queue) sound.reader = this.#readerOf(sound.source)
  }

  add(id: number, samples: Int16Array, loop = false): void {
    this.addSource(id, new MemorySource(samples, this.#rate, loop))
  }

  addSource(id: number, source: SoundSource): void {
    this.#queue.push({ id, source, reader: this.#readerOf(source), played: 0 })
  }

  stop(id: number): void {
    const index = this.#queue.findIndex((sound) => sound.id === id)
    if (index < 0) return
    const [sound] = this.#queue.splice(index, 1)
    if (sound) this.#ended(id, false, sound.played)
  }

  stopAll(): void {
    while (this.#queue[0]) this.stop(this.#queue[0].id)
  }

  /** Fills `into` with the next samples, and with silence after the last sound. False if none plays. */
  read(into: Int16Array): boolean {
    if (this.#queue.length === 0) return false
    let filled = 0
    while (filled < into.length) {
      const sound = this.#queue[0]
      if (!sound) break
      const count = sound.reader.read(into, filled)
      if (count > 0 && sound.played === 0) this.#started(sound.id)
      sound.played += count
      filled += count
      if (sound.reader.ended) this.#finish(sound)
      else if (count === 0) break
    }
    into.fill(0, filled)
    return true
  }

  #finish(sound: Sound): void {
    this.#queue.shift()
    this.#ended(sound.id, true, sound.played)
  }

  #readerOf(source: SoundSource): SoundSource {
    return source.rate === this.#rate ? source : new ConvertedSource(source, this.#rate)
  }
}
