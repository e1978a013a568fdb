export interface StreamedEvent {
  id: string
  data: string
}

export interface Following {
  /** Requests the stream after the event with this id; empty: from the beginning. */
  open: (lastId: string) => Promise<Response>
  signal: AbortSignal
  /** `live` when the stream is open, `broken` while it is being reopened. */
  onState?: ((state: 'live' | 'broken') => void) | undefined
}

const firstPauseMs = 500
const maxPauseMs = 10_000
/** The service sends at least every 15 s; after this silence the connection is dead, even if the socket does not report it. */
const silenceMs = 45_000

/** Server-sent events until the signal aborts. Resumes a broken connection after the last event; an error thrown by `open` ends it. */
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

/** Retries if the service is unreachable (fetch throws a TypeError); any other error is final. */
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

/** Value after the field name, a colon and an optional space; undefined if the line is another field. */
const valueOf = (line: string, field: string): string | undefined => {
  if (line === field) return ''
  return line.startsWith(`${field}:`) ? line.slice(field.length + (line[field.length + 1] === ' ' ? 2 : 1)) : undefined
}

const emptyLine = /\r?\n\r?\n/

/** Incremental parser for server-sent events; an event may be split anywhere between chunks. */
export class EventStreamReader {
  /** Chunks of an incomplete event. Joined only when complete: searching all of it at each chunk would take quadratic time. */
  #rest: string[] = []
  /** Its end, which may contain the first half of the empty line. */
  #tail = ''
  #id = ''

  /** The events completed by this chunk. */
  read(piece: string): StreamedEvent[] {
    const end = this.#tail + piece
    this.#rest.push(piece)
    this.#tail = end.slice(-3)
    if (!emptyLine.test(end)) return []
    const blocks = this.#rest.join('').split(emptyLine)
    this.#rest = [blocks.pop() ?? '']
    this.#tail = this.#rest[0]?.slice(-3) ?? ''
    return blocks.flatMap((block) => this.#eventOf(block))
  }

  #eventOf(block: string): StreamedEvent[] {
    const data: string[] = []
    for (const line of block.split(/\r?\n/)) {
      const [id, piece] = [valueOf(line, 'id'), valueOf(line, 'data')]
      if (id !== undefined) this.#id = id
      if (piece !== undefined) data.push(piece)
    }
    return data.length === 0 ? [] : [{ id: this.#id, data: data.join('\n') }]
  }
}

/** Resolves after `ms` or when the signal aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const wake = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', wake)
      done()
    }
    const timer = setTimeout(wake, ms)
    if (signal?.aborted) wake()
    else signal?.addEventListener('abort', wake)
  })
