/** Columns by which frames may be late or bunched and still be aligned. */
const loose = 12
/** Milliseconds per column: one frame each. */
const columnMs = 20
export const columns = 320

export type Side = 'caller' | 'assistant'

/** Loudness of both sides in the last seconds. */
export class Levels {
  readonly #loudness: Record<Side, Float32Array> = { caller: new Float32Array(columns), assistant: new Float32Array(columns) }
  readonly #newest: Record<Side, number> = { caller: 0, assistant: 0 }
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  note(side: Side, loudness: number): void {
    const now = Math.floor(this.#now() / columnMs)
    const next = this.#newest[side] + 1
    const column = Math.abs(next - now) <= loose ? next : now
    this.#moveTo(side, column)
    this.#loudness[side][column % columns] = loudness
  }

  /** Oldest to newest. */
  read(side: Side): Float32Array {
    const column = Math.floor(this.#now() / columnMs) - loose
    if (column > this.#newest[side]) this.#moveTo(side, column)
    return Float32Array.from({ length: columns }, (_, index) => this.#loudness[side][(column + 1 + index) % columns] ?? 0)
  }

  /** Fills the columns between the newest and now with silence. */
  #moveTo(side: Side, column: number): void {
    const from = Math.max(this.#newest[side] + 1, column - columns + 1)
    for (let silent = from; silent <= column; silent++) this.#loudness[side][silent % columns] = 0
    this.#newest[side] = Math.max(this.#newest[side], column)
  }
}
