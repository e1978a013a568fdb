import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'

const most = { events: 64, bytes: 256 * 1024 }

export interface Buffered {
  event: OutgoingEvent
  /** The frame, the same each time. */
  text: string
  bytes: number
}

/** Events of one session that the endpoint has not confirmed yet, in their order. */
export class EventBuffer {
  #events: Buffered[] = []
  #bytes = 0
  #confirmed = 0

  /** Undefined when there is no room: the endpoint is too far behind. */
  put(event: OutgoingEvent): Buffered | undefined {
    const text = frameOf(event)
    const bytes = Buffer.byteLength(text)
    if (this.#events.length >= most.events || this.#bytes + bytes > most.bytes) return undefined
    const buffered = { event, text, bytes }
    this.#events.push(buffered)
    this.#bytes += bytes
    return buffered
  }

  /** All events up to this sequence have arrived; returns those that were not confirmed before. */
  confirm(sequence: number): Buffered[] {
    const count = this.#events.filter(({ event }) => event.sequence <= sequence).length
    const arrived = this.#events.splice(0, count)
    this.#bytes -= arrived.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#confirmed = arrived.at(-1)?.event.sequence ?? this.#confirmed
    return arrived
  }

  /** Of the last event that has arrived for certain; 0 when none has. */
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

/** Frames have no headers, so what stands there for a webhook stands in the event itself. */
const frameOf = ({ body, id, sequence, turn }: OutgoingEvent): string => JSON.stringify({ ...body, event_id: id, sequence, turn })
