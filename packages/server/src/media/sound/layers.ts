import type { Layer } from '../engine.ts'
import { Playout, type SoundEnded } from './playout.ts'
import type { SoundSource } from './sound-source.ts'

/** The uppermost first. */
const order: readonly Layer[] = ['notice', 'announcement', 'music', 'usual']

export const isAnnounced = (layer: Layer | undefined): boolean => layer === 'notice' || layer === 'announcement'

/** What a stream plays by itself: of the layers that have something the uppermost is heard, and those below wait. */
export class Layers {
  readonly #layers: readonly (readonly [Layer, Playout])[]

  /** `began`: an announcement or a notice did. */
  constructor(ended: SoundEnded, began: (id: number) => void) {
    this.#layers = order.map((layer) => [layer, new Playout(ended, isAnnounced(layer) ? { began } : {})] as const)
  }

  /** Of what is read. May change in the middle of a sound. */
  set rate(rate: number) {
    for (const [, playout] of this.#layers) playout.rate = rate
  }

  add(layer: Layer, id: number, source: SoundSource): void {
    this.#layers.find(([name]) => name === layer)?.[1].addSource(id, source)
  }

  stop(id: number): void {
    for (const [, playout] of this.#layers) playout.stop(id)
  }

  stopAll(): void {
    for (const [, playout] of this.#layers) playout.stopAll()
  }

  /** Which one was read; undefined: nothing plays. */
  read(into: Int16Array): Layer | undefined {
    for (const [layer, playout] of this.#layers) if (playout.read(into)) return layer
    return undefined
  }
}
