import type { FaxObserver, FaxResult, FaxToReceive, FaxToSend } from '#core/kernel/ports/messages.ts'
import type { FaxEngine, FaxStream } from '#media/fax/engine.ts'
import type { FaxNegotiation, FaxWay } from '../sdp/fax-negotiation.ts'

/** Result of a fax that never began. */
export const neverStarted: FaxResult = { code: undefined, pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' }

/** Modem of one fax call, and its negotiated transport. */
export class FaxMedia {
  readonly #engine: FaxEngine
  readonly #session: FaxNegotiation
  #opening: Promise<void> | undefined
  #stream: FaxStream | undefined
  #closed = false

  constructor(engine: FaxEngine, session: FaxNegotiation) {
    this.#engine = engine
    this.#session = session
  }

  /** Current transport; undefined before the first agreement. */
  get by(): FaxWay['by'] | undefined {
    return this.#session.way?.by
  }

  /** Pages are under way: it is too late to switch between audio and T.38. */
  get settled(): boolean {
    return this.#stream?.settled ?? false
  }

  /** Throws FaxUnavailable, or MediaFull when no port is left. `calling`: we are the caller. */
  open(calling: boolean): Promise<void> {
    return (this.#opening ??= this.#open(calling))
  }

  offer(by: FaxWay['by']): string {
    return this.#session.offer(by, this.#port)
  }

  /** Answers and applies this offer; undefined if it has no usable transport. */
  answer(offer: string, from: string | undefined): string | undefined {
    const reply = this.#session.answer(offer, this.#port, from, this.settled ? this.by : undefined)
    if (reply) this.#apply(reply.way)
    return reply?.sdp
  }

  /** Applies the far end's answer to our offer. False if it rejects it. */
  confirm(answer: string, from: string | undefined): boolean {
    const way = this.#session.confirm(answer, from)
    if (way) this.#apply(way)
    return way !== undefined
  }

  async send(fax: FaxToSend, observer: FaxObserver): Promise<FaxResult> {
    return (await this.#stream?.send(fax, observer)) ?? neverStarted
  }

  async receive(fax: FaxToReceive, observer: FaxObserver): Promise<FaxResult> {
    return (await this.#stream?.receive(fax, observer)) ?? neverStarted
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#stream?.close()
  }

  get #port(): number {
    if (!this.#stream) throw new Error('the modem is not open')
    return this.#stream.localPort
  }

  async #open(calling: boolean): Promise<void> {
    const stream = await this.#engine.open(calling, this.#session.boundAddress)
    this.#stream = stream
    if (this.#closed) await stream.close()
  }

  #apply(way: FaxWay): void {
    if (way.by === 't38') this.#stream?.t38(way)
    else this.#stream?.audio(way)
  }
}
