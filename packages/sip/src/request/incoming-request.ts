import { respond } from '../message/build.ts'
import type { HeaderLines } from '../message/build.ts'
import type { Request } from '../message/message.ts'
import type { Stack } from './stack.ts'
import { newTag } from '../transaction/tokens.ts'
import type { ServerTransaction } from '../transaction/transactions.ts'
import type { Flow } from '../transport/transport.ts'

/** A request outside of dialogs. */
export interface IncomingRequest {
  readonly request: Request
  readonly from: Flow
  /** Once; later ones have no effect. */
  respond(status: number, options?: ResponseOptions): void
}

export interface ResponseOptions {
  reason?: string
  /** Ours, when a dialog begins with it. */
  toTag?: string
  headers?: HeaderLines
  contentType?: string
  body?: string
}

export class OutsideRequest implements IncomingRequest {
  readonly #stack: Stack
  readonly #server: ServerTransaction
  readonly #always: HeaderLines

  constructor(stack: Stack, server: ServerTransaction, always: HeaderLines) {
    this.#stack = stack
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
    const { product } = this.#stack
    const all = [...(product === '' ? [] : [['Server', product] as const]), ...this.#always, ...headers]
    const content = contentType === undefined ? undefined : { type: contentType, content: body ?? '' }
    this.#server.respond(status, respond(this.request, status, { reason, toTag, headers: all, body: content, source: this.from }))
  }
}
