import { Worker } from 'node:worker_threads'

export interface Ask {
  id: number
  method: string
  url: string
  headers: Record<string, string>
  body?: Uint8Array<ArrayBuffer> | undefined
}

export interface Answer {
  id: number
  status: number
  /** Start of the body. */
  text: string
}

/** Sends requests to the service from another thread. */
export class Client {
  readonly #thread = new Worker(new URL('./client-thread.ts', import.meta.url))
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #asked = 0

  constructor() {
    this.#thread.on('message', (answer: Answer) => {
      this.#waiting.get(answer.id)?.(answer)
      this.#waiting.delete(answer.id)
    })
  }

  /** Builds the body here, before the measurement, and transfers it. */
  ask({ method, url, headers, body }: Omit<Ask, 'id' | 'body'> & { body?: string | undefined }): Promise<Answer> {
    const id = ++this.#asked
    const bytes = body === undefined ? undefined : new Uint8Array(Buffer.from(body))
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#thread.postMessage({ id, method, url, headers, body: bytes } satisfies Ask, bytes ? [bytes.buffer] : [])
    })
  }

  async close(): Promise<void> {
    await this.#thread.terminate()
  }
}
