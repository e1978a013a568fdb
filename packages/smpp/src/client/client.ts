import type { Duplex } from 'node:stream'
import type { MessageFields } from '../pdu/pdu.ts'
import { SmppSession } from '../session/session.ts'
import type { BindOrder, SessionOptions } from '../session/session-options.ts'
import { SmppNotSent, SmppRefused } from '../pdu/smpp-error.ts'
import { status } from '../pdu/status.ts'

export interface ClientOptions extends Omit<SessionOptions, 'role' | 'socket' | 'bind'> {
  /** Opens a connection. */
  connect: (signal: AbortSignal) => Promise<Duplex>
  bind: BindOrder
  /** From 0 to 1: spreads the reconnects of clients that lost the same SMSC at the same moment. */
  random: () => number
  /** Bound, or not (any more) and why. */
  changed?: (state: ClientState) => void
}

export type ClientState = { bound: true; systemId: string } | { bound: false; why: string; nextTryMs: number }

/** Before the next connection; it doubles from the first to the longest. */
const firstWaitMs = 1_000
const maxWaitMs = 60_000

/** An ESME that stays bound: connects, binds, and does so again whenever the connection is lost. */
export class SmppClient {
  readonly #options: ClientOptions
  readonly #closing = new AbortController()
  #session: SmppSession | undefined
  #running: Promise<void> | undefined
  /** How many connections came to nothing since the last one that lasted. */
  #failures = 0

  constructor(options: ClientOptions) {
    this.#options = options
  }

  get bound(): boolean {
    return this.#session?.bound !== undefined
  }

  /** Begins to connect; it never gives up until `close`. */
  start(): void {
    this.#running ??= this.#run()
  }

  /** As SmppSession.send; SmppNotSent at once while not bound. */
  async send(message: MessageFields): Promise<{ messageId: string }> {
    if (!this.#session) throw new SmppNotSent('Not connected to the SMSC')
    return this.#session.send(message)
  }

  /** Unbinds and does not reconnect. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#session?.unbind()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const trouble = await this.#once(signal)
      if (signal.aborted) return
      const nextTryMs = this.#waitAfter(trouble)
      this.#options.changed?.({ bound: false, why: trouble.message, nextTryMs })
      await this.#sleep(nextTryMs)
    }
  }

  /** One connection from its beginning to its end; what ended it. */
  async #once(signal: AbortSignal): Promise<Error> {
    const { bind, connect, changed, clock, ...rest } = this.#options
    try {
      const socket = await connect(signal)
      const session = new SmppSession({ ...rest, clock, role: 'esme', socket })
      this.#session = session
      if (signal.aborted) session.destroy('It is not wanted any more')
      const { systemId } = await session.bind(bind)
      const since = clock.now()
      changed?.({ bound: true, systemId })
      const why = await session.closed
      // Only a connection that lasted proves that the SMSC is well.
      if (clock.now() - since >= maxWaitMs) this.#failures = 0
      return new Error(why)
    } catch (error) {
      return error as Error
    } finally {
      this.#session?.destroy('It did not work')
      this.#session = undefined
    }
  }

  /** Half of it is left to chance. With a wrong password it tries seldom: carriers lock accounts after repeated failures. */
  #waitAfter(trouble: Error): number {
    const hopeless =
      trouble instanceof SmppRefused && (trouble.status === status.invalidPassword || trouble.status === status.invalidSystemId)
    const wait = hopeless ? maxWaitMs : Math.min(firstWaitMs * 2 ** this.#failures, maxWaitMs)
    this.#failures += 1
    return wait * (0.5 + this.#options.random() / 2)
  }

  #sleep(ms: number): Promise<void> {
    const { signal } = this.#closing
    return new Promise((resolve) => {
      const done = (): void => {
        cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const cancel = this.#options.clock.after(ms, done)
      signal.addEventListener('abort', done)
    })
  }
}
