const zero = 48
/** `SIP/2.0 ` is before the status. */
const statusAt = 8
/** No method has a slash, so that no request begins with `SIP/`. */
const isResponse = (message: Uint8Array): boolean =>
  message[0] === 0x53 && message[1] === 0x49 && message[2] === 0x50 && message[3] === 0x2f

export type Direction = 'sent' | 'received'

/** Responses by the first digit of their status, repetitions included. */
export class ResponseCounts {
  readonly #counts = { sent: new Float64Array(7), received: new Float64Array(7) }

  note(direction: Direction, message: Uint8Array): void {
    if (!isResponse(message)) return
    const digit = (message[statusAt] ?? 0) - zero
    const counts = this.#counts[direction]
    if (digit >= 1 && digit <= 6) counts[digit] = (counts[digit] ?? 0) + 1
  }

  /** Also those of which there were none: a rate needs a beginning. */
  get entries(): { direction: Direction; class: string; count: number }[] {
    const all = Object.entries(this.#counts) as [Direction, Float64Array][]
    return all.flatMap(([direction, counts]) => [...counts].slice(1).map((count, at) => ({ direction, class: `${at + 1}xx`, count })))
  }
}
