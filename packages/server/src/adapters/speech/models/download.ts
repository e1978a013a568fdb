import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface Download {
  url: string
  /** Goes on where this file ends, if there is one. */
  file: string
  /** Told how much of it is there, again and again. */
  onBytes: (bytes: number) => void
  signal: AbortSignal
}

/** How long to wait for a registry that sends nothing. */
export const silenceMs = 30_000

/** Throws when the server does not have it, or says nothing for half a minute; what came until then stays. */
export const download = async ({ url, file, onBytes, signal }: Download): Promise<void> => {
  const before = await stat(file).then(
    ({ size }) => size,
    () => 0,
  )
  const idle = new IdleTimeout(silenceMs)
  try {
    const response = await fetch(url, {
      headers: before > 0 ? { range: `bytes=${before}-` } : {},
      signal: AbortSignal.any([signal, idle.signal]),
    })
    if (response.status === 416) return // all of it was there already
    if (!response.ok || !response.body) throw new Error(`${url} answered with status ${response.status}`)
    const resumed = response.status === 206
    let bytes = resumed ? before : 0
    onBytes(bytes)
    const counted = async function* (body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of body) {
        idle.renew()
        onBytes((bytes += piece.length))
        yield piece
      }
    }
    await pipeline(Readable.fromWeb(response.body), counted, createWriteStream(file, { flags: resumed ? 'a' : 'w' }))
  } finally {
    idle.end()
  }
}

/** Aborts when it was not renewed for this long. */
class IdleTimeout {
  readonly #controller = new AbortController()
  readonly #timer: NodeJS.Timeout

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`nothing came for ${ms / 1000} seconds`)), ms)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  renew(): void {
    this.#timer.refresh()
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}
