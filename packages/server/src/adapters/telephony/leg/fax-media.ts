import type { FaxObserver, FaxResult, FaxToReceive, FaxToSend } from '#core/kernel/ports/fax-transport.ts'
import type { FaxEngine, FaxStream } from '#media/fax/engine.ts'
import type { FaxNegotiation, FaxWay } from '../sdp/fax-negotiation.ts'

/** The result of a fax that never began. */
export const neverStarted: FaxResult = { code: undefined, pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' }

/** The modem of one fax call, and what SDP agreed about its transport. */
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

  /** How it is carried; undefined before anything was agreed. */
  get by(): FaxWay['by'] | undefined {
    return this.#session.way?.by
  }

  /** Pages are under way: it is too late to change between audio and T.38. */
  get settled(): boolean {
    return this.#stream?.settled ?? false
  }

  /** Throws FaxUnavailable, or MediaFull when there is no port left. `calling`: we are the caller. */
  open(calling: boolean): Promise<void> {
    return (this.#opening ??= this.#open(calling))
  }

  offer(by: FaxWay['by']): string {
    return this.#session.offer(by, this.#port)
  }

  /** The answer to this offer, which is in force from now on; undefined when there is nothing in it that can carry the fax now. */
  answer(offer: string, from: string | undefined): string | undefined {
    const reply = this.#session.answer(offer, this.#port, from, this.settled ? this.by : undefined)
    if (reply) this.#apply(reply.way)
    return reply?.sdp
  }

  /** The far end's answer to our offer. False when it refuses it. */
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
    const stream = await this.#engine.open(calling)
    this.#stream = stream
    if (this.#closed) await stream.close()
  }

  #apply(way: FaxWay): void {
    if (way.by === 't38') this.#stream?.t38(way)
    else this.#stream?.audio(way)
  }
}
