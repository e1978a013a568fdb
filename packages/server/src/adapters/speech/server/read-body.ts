import type { IncomingMessage } from 'node:http'
import { overloaded, ServiceError } from './service-error.ts'

/** Bytes of all bodies that are being received or decoded. */
export class BodyMemory {
  readonly #maxBytes: number
  #held = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Passes the whole body to `use` and keeps count of it until that ends. Throws ServiceError when it is too large, or when all together are. */
  async use<T>(request: IncomingMessage, maxBytes: number, use: (body: Buffer) => Promise<T>): Promise<T> {
    const tooLarge = (): ServiceError => new ServiceError(413, 'request_too_large', `The request has more than ${maxBytes} bytes.`)
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
    const pieces: Buffer[] = []
    let bytes = 0
    try {
      for await (const piece of request as AsyncIterable<Buffer>) {
        bytes += piece.length
        this.#held += piece.length
        if (bytes > maxBytes) throw tooLarge()
        if (this.#held > this.#maxBytes) throw overloaded()
        pieces.push(piece)
      }
      return await use(Buffer.concat(pieces))
    } finally {
      this.#held -= bytes
    }
  }
}
