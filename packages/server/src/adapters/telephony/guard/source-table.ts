import type { Clock } from '#core/kernel/ports/platform.ts'
import type { TokenRate } from '#core/kernel/token-bucket.ts'
import { ipv4Number } from '../transport/networks.ts'

/** Cells of the table; a power of two. */
const CELLS = 2 ** 16

/** From 0 up to 1. */
export type Random = () => number

/**
 * A token bucket per source in a table of fixed size: forged addresses allocate no memory. A source has two cells (count-min sketch), each
 * with the time at which its bucket is full again (GCRA). It is out of tokens only when both cells agree, so a source that shares one cell
 * with a flooding source keeps its tokens. The position of the cells depends on a secret of the process: an attacker cannot choose
 * addresses that share cells with another source.
 */
export class SourceTable {
  readonly #clock: Clock
  readonly #fullAt = new Float64Array(CELLS)
  readonly #seeds: readonly [number, number]

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#seeds = [secret(random), secret(random)]
  }

  /** False when fewer than `cost` tokens are left; then none is taken. `source`: see `sourceNumber`. */
  take(source: number, { burst, perSecond }: TokenRate, cost: number): boolean {
    const now = this.#clock.now()
    const [one, other] = [mix(source ^ this.#seeds[0]) % CELLS, mix(source ^ this.#seeds[1]) % CELLS]
    const maxMs = (burst * 1000) / perSecond
    const [oneAt, otherAt] = [this.#read(one, now, maxMs), this.#read(other, now, maxMs)]
    const fullAt = Math.max(Math.min(oneAt, otherAt), now) + (cost * 1000) / perSecond
    if (fullAt - now > maxMs) return false
    this.#fullAt[one] = Math.max(oneAt, fullAt)
    this.#fullAt[other] = Math.max(otherAt, fullAt)
    return true
  }

  /** A bucket that would take longer to fill than an empty one dates from before the clock was set back. */
  #read(cell: number, now: number, maxMs: number): number {
    const fullAt = this.#fullAt[cell] ?? 0
    return fullAt - now > maxMs ? now : fullAt
  }
}

/** 32 bits for an address, or for a block of them (`addressBlock`); with a port for one socket there. */
export const sourceNumber = (address: string, port = 0): number => {
  const number = ipv4Number(address) ?? textNumber(address)
  return port === 0 ? number : number ^ mix(port)
}

export const secret = (random: Random): number => Math.floor(random() * 2 ** 32)

/** Every bit of the result depends on every bit of the number (the finalizer of MurmurHash3). */
export const mix = (number: number): number => {
  let bits = number
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

const textNumber = (text: string): number => {
  let bits = 0
  for (let at = 0; at < text.length; at++) bits = mix(bits ^ text.charCodeAt(at))
  return bits
}
