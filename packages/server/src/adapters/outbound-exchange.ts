import { errors, type Dispatcher } from 'undici'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { OutboundFailure, type OutboundReply, type OutboundRequest } from '#core/kernel/ports/outbound.ts'
import { errorCode } from './checked-connector.ts'

export const unwanted = (): OutboundFailure => new OutboundFailure('aborted', 'Nobody waits for the answer any more')

/**
 * One request and its response, delivered by undici in chunks, without a stream, a signal or a race. It ends once, with the whole response
 * or with the reason for the failure; one deadline covers everything, including connecting.
 */
export class OutboundExchange implements Dispatcher.DispatchHandler {
  readonly reply: Promise<OutboundReply>
  readonly #onWire: (() => void) | undefined
  readonly #onBytes: OutboundRequest['onBytes']
  readonly #maxBytes: number
  readonly #signal: AbortSignal | undefined
  readonly #unwanted = (): void => this.#giveUp(unwanted())
  readonly #cancelTimer: () => void
  #resolve: (reply: OutboundReply) => void = () => {}
  #reject: (failure: OutboundFailure) => void = () => {}
  /** Set once the request has a connection. */
  #controller: Dispatcher.DispatchController | undefined
  #failure: OutboundFailure | undefined
  #status = 0
  #headers: Record<string, string> = {}
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor({ deadlineMs, maxBytes, signal, onWire, onBytes }: OutboundRequest, clock: Pick<Clock, 'after'>) {
    this.#maxBytes = maxBytes
    this.#signal = signal
    this.#onWire = onWire
    this.#onBytes = onBytes
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    signal?.addEventListener('abort', this.#unwanted)
    this.#cancelTimer = clock.after(deadlineMs, () =>
      this.#giveUp(new OutboundFailure('timeout', `No complete answer within ${deadlineMs} ms`)),
    )
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure) controller.abort(this.#failure)
  }

  onRequestSent(): void {
    this.#onWire?.()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return
    this.#status = status
    this.#headers = singleValues(headers)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#failure) return
    if (this.#bytes > this.#maxBytes)
      return this.#giveUp(new OutboundFailure('too_large', `The answer has more than ${this.#maxBytes} bytes`, this.#status))
    this.#chunks.push(chunk)
    this.#onBytes?.(chunk, this.#status)
  }

  onResponseEnd(): void {
    this.#ended()
    this.#resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) })
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: unknown): void {
    this.#ended()
    this.#reject(this.#failure ?? asFailure(error))
  }

  /** The connection, which has no other use, is closed as soon as it exists. */
  #giveUp(failure: OutboundFailure): void {
    this.#failure ??= failure
    this.#ended()
    this.#controller?.abort(this.#failure)
    this.#reject(this.#failure)
  }

  #ended(): void {
    this.#cancelTimer()
    this.#signal?.removeEventListener('abort', this.#unwanted)
  }
}

const singleValues = (headers: Record<string, string | string[] | undefined>): Record<string, string> => {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) values[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
  return values
}

/** Messages contain the kind of error but never an address: they are shown to customers, who must not map our network with them. */
const asFailure = (error: unknown): OutboundFailure => {
  if (error instanceof OutboundFailure) return error
  if (error instanceof errors.InvalidArgumentError) return new OutboundFailure('refused', `The request is not valid: ${error.message}`)
  if (error instanceof errors.HeadersOverflowError) return new OutboundFailure('too_large', 'The answer has too many headers')
  return new OutboundFailure('broken', `The connection broke before the answer was complete (${errorCode(error)})`)
}
