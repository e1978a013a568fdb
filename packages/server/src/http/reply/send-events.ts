import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '#core/kernel/ports/platform.ts'

/** Event output of a handler. */
interface EventSink {
  /** `id`: position to resume the stream after a disconnect. */
  notify(id: string, text: string): void
  /** Resolves when the client has received most of the sent data, or is gone. */
  ready(): Promise<void>
  /** Asks the client to reconnect. */
  end(): void
}

/** Reply of a handler that streams events. */
export interface EventsReply {
  /** Starts the stream; returns a function to stop it. */
  start(sink: EventSink): () => void
  /** Polled: a token may be revoked while its stream is open. */
  isAllowed(): Promise<boolean>
}

const heartbeatMs = 15_000
/** Bytes of unread data, held in memory, after which a client is disconnected. */
const maxUnread = 1024 * 1024
const unreadEnough = 64 * 1024

/** All open event streams; they end with the service. */
export class EventStreams {
  readonly #clock: Clock
  readonly #open = new Set<EventStream>()

  constructor(app: FastifyInstance, clock: Clock) {
    this.#clock = clock
    app.addHook('preClose', (done) => {
      for (const stream of this.#open) stream.end()
      done()
    })
  }

  send(reply: FastifyReply, events: EventsReply): void {
    reply.hijack()
    // Headers set before, such as cache-control, apply here, too.
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value)
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' })
    const stream: EventStream = new EventStream(reply.raw, this.#clock, events, () => this.#open.delete(stream))
    this.#open.add(stream)
    stream.begin()
  }
}

class EventStream implements EventSink {
  readonly #response: ServerResponse
  readonly #clock: Clock
  readonly #events: EventsReply
  readonly #ended: () => void
  #stop: () => void = () => {}
  #cancelTimer: () => void = () => {}
  #finished = false

  constructor(response: ServerResponse, clock: Clock, events: EventsReply, over: () => void) {
    this.#response = response
    this.#clock = clock
    this.#events = events
    this.#ended = over
  }

  begin(): void {
    this.#response.once('close', () => this.#finish())
    this.#response.on('error', () => this.#finish())
    this.#write(': here is what happens\n\n')
    this.#stop = this.#events.start(this)
    if (this.#finished) return this.#stop()
    if (this.#response.destroyed) return this.#finish()
    this.#scheduleHeartbeat()
  }

  notify(id: string, text: string): void {
    this.#write(`id: ${id}\ndata: ${text}\n\n`)
  }

  async ready(): Promise<void> {
    while (!this.#finished && this.#response.writableLength > unreadEnough) {
      const { promise, resolve } = Promise.withResolvers<void>()
      for (const event of ['drain', 'close']) this.#response.once(event, resolve)
      await promise
      for (const event of ['drain', 'close']) this.#response.off(event, resolve)
    }
  }

  end(): void {
    if (this.#finished) return
    this.#finish()
    this.#response.end()
  }

  #write(text: string): void {
    if (this.#finished) return
    this.#response.write(text)
    if (this.#response.writableLength <= maxUnread) return
    this.#finish()
    this.#response.destroy()
  }

  #scheduleHeartbeat(): void {
    this.#cancelTimer = this.#clock.after(heartbeatMs, () => {
      this.#events.isAllowed().then(
        (allowed) => {
          if (!allowed) return this.end()
          this.#write(': still here\n\n')
          if (!this.#finished) this.#scheduleHeartbeat()
        },
        () => this.end(),
      )
    })
  }

  #finish(): void {
    if (this.#finished) return
    this.#finished = true
    this.#cancelTimer()
    this.#stop()
    this.#ended()
  }
}
