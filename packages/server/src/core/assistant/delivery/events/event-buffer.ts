import type { OutgoingEvent } from '#core/kernel/ports/assistant.ts'

const most = { events: 64, bytes: 256 * 1024 }

export interface Buffered {
  event: OutgoingEvent
  /** Frame text, identical in every transmission. */
  text: string
  bytes: number
}

/** Unconfirmed events of one session, in order. */
export class EventBuffer {
  #events: Buffered[] = []
  #bytes = 0
  #confirmed = 0

  /** Returns undefined if the buffer is full: the endpoint is too far behind. */
  put(event: OutgoingEvent): Buffered | undefined {
    const text = frameOf(event)
    const bytes = Buffer.byteLength(text)
    if (this.#events.length >= most.events || this.#bytes + bytes > most.bytes) return undefined
    const buffered = { event, text, bytes }
    this.#events.push(buffered)
    this.#bytes += bytes
    return buffered
  }

  /** Confirms all events up to this sequence; returns the newly confirmed ones. */
  confirm(sequence: number): Buffered[] {
    const count = this.#events.filter(({ event }) => event.sequence <= sequence).length
    const arrived = this.#events.splice(0, count)
    this.#bytes -= arrived.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#confirmed = arrived.at(-1)?.event.sequence ?? this.#confirmed
    return arrived
  }

  /** Sequence of the last confirmed event; 0 if none. */
  get confirmed(): number {
    return this.#confirmed
  }

  get waiting(): readonly Buffered[] {
    return this.#events
  }

  /** Empties the buffer: the events take another channel. */
  takeAll(): OutgoingEvent[] {
    const all = this.#events.splice(0)
    this.#bytes = 0
    return all.map(({ event }) => event)
  }
}

/** Frames have no headers, so the event itself contains the fields that a webhook has in its headers. */
const frameOf = ({ body, id, sequence, turn }: OutgoingEvent): string => JSON.stringify({ ...body, event_id: id, sequence, turn })
