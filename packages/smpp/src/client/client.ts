import type { Duplex } from 'node:stream'
import type { MessageFields } from '../pdu/pdu.ts'
import { SmppSession } from '../session/session.ts'
import type { BindOrder, SessionOptions } from '../session/session-options.ts'
import { SmppNotSent, SmppRefused } from '../pdu/smpp-error.ts'
import { status } from '../pdu/status.ts'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface ClientOptions extends Omit<SessionOptions, 'role' | 'socket' | 'bind'> {
  /** Opens a connection. */
  connect: (signal: AbortSignal) => Promise<Duplex>
  bind: BindOrder
  /** 0 to 1: jitter for the reconnects of clients that lost the same SMSC at the same moment. */
  random: () => number
  /** Bound or unbound, with the reason. */
  changed?: (state: ClientState) => void
}

export type ClientState = { bound: true; systemId: string } | { bound: false; why: string; nextTryMs: number }

/** Milliseconds before the next connection; doubles from the first to the maximum. */
const firstWaitMs = 1_000
const maxWaitMs = 60_000

/** An ESME that stays bound: connects, binds, and reconnects after each loss. */
export class SmppClient {
  readonly #options: ClientOptions
  readonly #closing = new AbortController()
  #session: SmppSession | undefined
  #running: Promise<void> | undefined
  /** Failed connections since the last lasting one. */
  #failures = 0

  constructor(options: ClientOptions) {
    this.#options = options
  }

  get bound(): boolean {
    return this.#session?.bound !== undefined
  }

  /** Starts connecting; never gives up until `close`. */
  start(): void {
    this.#running ??= this.#run()
  }

  /** Like SmppSession.send; throws SmppNotSent immediately while not bound. */
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

  /** Runs one connection until its end; resolves with the cause. */
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
      // Only a lasting connection proves that the SMSC works.
      if (clock.now() - since >= maxWaitMs) this.#failures = 0
      return new Error(why)
    } catch (error) {
      return error as Error
    } finally {
      this.#session?.destroy('It did not work')
      this.#session = undefined
    }
  }

  /** Half of the wait is random. After a wrong password it retries rarely: carriers lock accounts after repeated failures. */
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

interface SmppConnectOptions {
  host: string
  port: number
  tls: boolean
  /** TLS: the trusted certificate authority in PEM. Default: the system's. */
  ca?: string
}

/** Connects to an SMSC; rejects after `timeoutMs` or on abort. TLS requires a valid certificate for `host`. */
export const connectSmpp = (options: SmppConnectOptions, signal: AbortSignal, timeoutMs = 10_000): Promise<Socket> => {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = options.tls ? openTls(options) : connectTcp({ host: options.host, port: options.port })
  const giveUp = (): void => void socket.destroy(new Error('The connection was given up'))
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`No connection within ${timeoutMs} ms`)))
  socket.once('error', reject)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp)
  socket.once('close', () => signal.removeEventListener('abort', giveUp))
  socket.once(options.tls ? 'secureConnect' : 'connect', () => {
    socket.setTimeout(0)
    signal.removeEventListener('abort', giveUp)
    resolve(socket)
  })
  return promise
}

const openTls = ({ host, port, ca }: SmppConnectOptions): Socket =>
  connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) })
