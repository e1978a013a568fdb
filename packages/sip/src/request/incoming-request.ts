import { respond } from '../message/build.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Request } from '../message/message.ts'
import { newTag, type ServerTransaction } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'

/** A request outside of dialogs. */
export interface IncomingRequest {
  readonly request: Request
  readonly from: Flow
  /** Only the first call has an effect. */
  respond(status: number, options?: ResponseOptions): void
}

interface ResponseOptions {
  reason?: string
  /** Our tag, if the response creates a dialog. */
  toTag?: string
  headers?: HeaderLines
  contentType?: string
  body?: string
}

export class OutsideRequest implements IncomingRequest {
  readonly #server: ServerTransaction
  readonly #always: HeaderLines

  constructor(server: ServerTransaction, always: HeaderLines) {
    this.#server = server
    this.#always = always
  }

  get request(): Request {
    return this.#server.request
  }

  get from(): Flow {
    return this.#server.flow
  }

  respond(status: number, options: ResponseOptions = {}): void {
    const { reason, toTag = newTag(), headers = [], contentType, body } = options
    // Omits Server: unknown sources must not learn the product (RFC 3261 §20.35).
    const all = [...this.#always, ...headers]
    const content = contentType === undefined ? undefined : { type: contentType, content: body ?? '' }
    this.#server.respond(status, respond(this.request, status, { reason, toTag, headers: all, body: content, source: this.from }))
  }
}
