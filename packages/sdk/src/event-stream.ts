import { sleep } from './sleep.ts'

export interface StreamedEvent {
  id: string
  data: string
}

export interface Following {
  /** Requests the stream from after the event with this id; empty: from its beginning. */
  open: (lastId: string) => Promise<Response>
  signal: AbortSignal
  /** Live when the stream is there, broken when it is gone and will be asked for again. */
  onState?: ((state: 'live' | 'broken') => void) | undefined
}

const firstPauseMs = 500
const maxPauseMs = 10_000
/** The service sends something every 15 s: after this silence the connection is dead, even if the socket does not say so. */
const silenceMs = 45_000

/** Server-sent events until the signal aborts. A connection that breaks is resumed where it broke; what `open` throws ends it. */
export async function* followEvents({ open, signal, onState }: Following): AsyncGenerator<StreamedEvent> {
  let lastId = ''
  let pause = firstPauseMs
  while (!signal.aborted) {
    const reply = await open(lastId).catch(whileTrying(signal))
    if (reply?.body) {
      onState?.('live')
      for await (const event of eventsOf(reply.body, signal)) {
        lastId = event.id
        pause = firstPauseMs
        yield event
      }
    }
    if (signal.aborted) return
    onState?.('broken')
    await sleep(pause, signal)
    pause = Math.min(pause * 2, maxPauseMs)
  }
}

/** A service that is not reachable may come back, a refusal stays one. fetch throws a TypeError for the first. */
const whileTrying =
  (signal: AbortSignal) =>
  (error: unknown): undefined => {
    if (!signal.aborted && !(error instanceof TypeError)) throw error
  }

async function* eventsOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<StreamedEvent> {
  const reader = new EventStreamReader()
  const decoder = new TextDecoder()
  const pieces = body.getReader()
  const stop = (): void => void pieces.cancel().catch(() => {})
  const next = async () => {
    const timer = setTimeout(stop, silenceMs)
    return pieces.read().finally(() => clearTimeout(timer))
  }
  signal.addEventListener('abort', stop)
  try {
    for (let piece = await next(); !piece.done; piece = await next()) yield* reader.read(decoder.decode(piece.value, { stream: true }))
  } catch {
    // The connection broke; the caller opens another one.
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Reads server-sent events piece by piece; an event may be cut anywhere between two pieces. */
export class EventStreamReader {
  #rest = ''
  #id = ''

  /** The events that became complete with this piece. */
  read(piece: string): StreamedEvent[] {
    const blocks = (this.#rest + piece).split(/\r?\n\r?\n/)
    this.#rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => this.#eventOf(block))
  }

  #eventOf(block: string): StreamedEvent[] {
    const data: string[] = []
    for (const line of block.split(/\r?\n/)) {
      const [, field, value = ''] = /^(\w+):? ?(.*)$/.exec(line) ?? []
      if (field === 'id') this.#id = value
      if (field === 'data') data.push(value)
    }
    return data.length === 0 ? [] : [{ id: this.#id, data: data.join('\n') }]
  }
}
