import { connect, type ConnectionOptions, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { NoAnswer, NoAnswerError, type Answering, type Asking, type Bus, type Hearing } from '#core/kernel/ports/platform.ts'
import type { BusServers } from './bus-servers.ts'
import { SealError, sealGoodMs, type SealRejection, type Seal, SeenNonces } from './seal.ts'

export interface NatsBusDeps {
  servers: BusServers
  /** PEM, read for each connection; needed if the server requires a certificate or has one of a private authority. */
  certificates: () => { cert?: string; key?: string; ca?: string }
  /** Name of this process in the server's own tools. */
  name: string
  /** `offhook.<installation>`: isolates installations on one server. */
  prefix: string
  seal: Seal
  /** Measures how long messages are remembered. */
  clock: Clock
  /** `error`: the reason. Called once per change. */
  onConnected: (connected: boolean, error?: Error) => void
  /** A message arrived that no process of this installation has just sent. */
  onIgnored: (why: SealRejection) => void
  /** A handler of this process failed, or a message was too large for the server. */
  onError: (error: unknown, subject: string) => void
}

const connectMs = 2_000
/** A server that hangs is detected after two of them. */
const pingMs = 1_000
const retryMs = 250
const closeMs = 1_000
const defaultPollMs = 2_000

/** Also starts without a server, and retries. */
export const natsBus = (deps: NatsBusDeps): Bus => new NatsBus(deps)

interface Wanted {
  /** Two subscriptions may get the same message, each once. */
  id: number
  subject: string
  queue?: string
  take: (message: Msg, id: number) => void
  live?: Subscription
}

/**
 * Reconnects by itself instead of by the client, so that the first connection is like any later one. Requests go to `ask.<subject>`, where
 * one of the responders gets it, or to `all.<subject>`; notifications to `tell.<subject>`.
 */
class NatsBus implements Bus {
  readonly alone = false
  readonly #deps: NatsBusDeps
  readonly #wanted = new Set<Wanted>()
  readonly #watching = new Set<(connected: boolean) => void>()
  readonly #seen: SeenNonces
  readonly #connecting: Promise<void>
  #connection: NatsConnection | undefined
  #lastId = 0
  #wasAway = false
  #wakeUp: () => void = () => {}
  #closed = false

  constructor(deps: NatsBusDeps) {
    this.#deps = deps
    this.#seen = new SeenNonces(deps.clock, sealGoodMs)
    this.#connecting = this.#stayConnected()
  }

  get connected(): boolean {
    return this.#connection !== undefined
  }

  answer(subject: string, answering: Answering): () => void {
    const take = (message: Msg, id: number): void =>
      void this.#reply(message, id, answering).catch((error) => this.#deps.onError(error, subject))
    const leave = [
      this.#subscribe({ subject: this.#full('ask', subject), queue: 'one', take }),
      this.#subscribe({ subject: this.#full('all', subject), take }),
    ]
    return () => leave.forEach((one) => one())
  }

  async ask(subject: string, body: unknown, { ms = defaultPollMs }: Asking = {}): Promise<unknown> {
    const connection = this.#connection
    if (!connection) throw new NoAnswer(subject) // the client would wait for its whole timeout
    const about = this.#full('ask', subject)
    const question = this.#deps.seal.close(written(body), about)
    const message = await connection.request(about, question.bytes, { timeout: ms }).catch((error: Error) => {
      throw isAnonymousCaller(error) ? new NoAnswerError(subject) : new NoAnswer(subject, { cause: error })
    })
    const reply = this.#opened(message, replyTo(about, question.nonce))
    if (!reply || reply.failed) throw new NoAnswer(subject)
    return reply.body
  }

  async askAll(subject: string, body: unknown, { ms = defaultPollMs, expected }: Asking & { expected: number }): Promise<unknown[]> {
    const connection = this.#connection
    if (!connection || expected < 1) return []
    const about = this.#full('all', subject)
    const question = this.#deps.seal.close(written(body), about)
    const replies: unknown[] = []
    try {
      // Counting ends with the last answer; the client's other strategies wait for the whole time.
      const options = { strategy: 'count', maxWait: ms, maxMessages: expected } as const
      for await (const message of await connection.requestMany(about, question.bytes, options)) {
        const reply = this.#openedOnce(message, replyTo(about, question.nonce), question.nonce)
        if (reply && !reply.failed) replies.push(reply.body)
      }
    } catch (error) {
      if (!isAnonymousCaller(error as Error)) this.#deps.onError(error, subject)
    }
    return replies
  }

  notify(subject: string, body: unknown): void {
    const about = this.#full('tell', subject)
    try {
      this.#connection?.publish(about, this.#deps.seal.close(written(body), about).bytes)
    } catch (error) {
      this.#deps.onError(error, subject)
    }
  }

  hear(subject: string, hearing: Hearing): () => void {
    const prefix = this.#full('tell', '')
    const take = (message: Msg, id: number): void => {
      const said = this.#openedOnce(message, message.subject, id)
      if (said) hearing(said.body, message.subject.slice(prefix.length))
    }
    return this.#subscribe({ subject: this.#full('tell', subject), take })
  }

  onConnection(changed: (connected: boolean) => void): () => void {
    this.#watching.add(changed)
    return () => void this.#watching.delete(changed)
  }

  /** The last messages are still sent, if the server accepts them. */
  async close(): Promise<void> {
    this.#closed = true
    this.#wakeUp()
    const connection = this.#connection
    if (connection) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, closeMs)
      await Promise.race([connection.drain().catch(() => {}), promise])
      clearTimeout(timer)
      await connection.close()
    }
    await this.#connecting
  }

  #full(kind: 'ask' | 'all' | 'tell', subject: string): string {
    return `${this.#deps.prefix}.${kind}.${subject}`
  }

  async #stayConnected(): Promise<void> {
    while (!this.#closed) {
      try {
        await this.#serve(await this.#connectToAny())
      } catch (error) {
        this.#away(error as Error)
      }
      if (!this.#closed) await this.#pause(retryMs + Math.random() * retryMs)
    }
  }

  /** Tries one server after the other, starting with any: the client cannot verify certificates of several addresses. */
  async #connectToAny(): Promise<NatsConnection> {
    const { servers } = this.#deps.servers
    const first = Math.floor(Math.random() * servers.length)
    let failure: unknown
    for (const server of [...servers.slice(first), ...servers.slice(0, first)]) {
      if (this.#closed) break
      try {
        return await connect(this.#options(server))
      } catch (error) {
        failure = error
      }
    }
    throw failure ?? new Error('the bus is closed')
  }

  #options(server: string): ConnectionOptions {
    const { servers, certificates, name, prefix } = this.#deps
    // The client sends no server name in TLS if the address is an IP address; Node then verifies the certificate against `host`, otherwise
    // against localhost.
    const tls = { ...certificates(), host: hostOf(server) }
    return {
      servers: server,
      ...servers.login,
      tls: servers.secure ? tls : null,
      name,
      inboxPrefix: `${prefix}.inbox`,
      timeout: connectMs,
      pingInterval: pingMs,
      maxPingOut: 2,
      reconnect: false,
      noAsyncTraces: true,
    }
  }

  async #serve(connection: NatsConnection): Promise<void> {
    if (this.#closed) return connection.close()
    this.#connection = connection
    for (const wanted of this.#wanted) this.#enter(wanted)
    this.#wasAway = false
    this.#changed(true)
    const error = await connection.closed()
    this.#connection = undefined
    if (!this.#closed) this.#away(error ?? new Error('the server closed the connection'))
  }

  #away(error: Error): void {
    if (this.#wasAway || this.#closed) return
    this.#wasAway = true
    this.#changed(false, error)
  }

  #changed(connected: boolean, error?: Error): void {
    this.#deps.onConnected(connected, error)
    for (const changed of this.#watching) changed(connected)
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #subscribe(input: Omit<Wanted, 'id'>): () => void {
    const wanted: Wanted = { ...input, id: ++this.#lastId }
    this.#wanted.add(wanted)
    this.#enter(wanted)
    return () => {
      this.#wanted.delete(wanted)
      if (this.#connection) wanted.live?.unsubscribe()
    }
  }

  #enter(wanted: Wanted): void {
    if (!this.#connection || this.#closed) return
    const { id, subject, queue, take } = wanted
    const callback = (error: Error | null, message: Msg): void => {
      try {
        if (error) throw error
        take(message, id)
      } catch (cause) {
        this.#deps.onError(cause, subject)
      }
    }
    wanted.live = this.#connection.subscribe(subject, { callback, ...(queue !== undefined && { queue }) })
  }

  async #reply(message: Msg, id: number, answering: Answering): Promise<void> {
    const asked = this.#openedOnce(message, message.subject, id)
    if (!asked) return
    const respond = (text: string): boolean => message.respond(this.#deps.seal.close(text, replyTo(message.subject, asked.nonce)).bytes)
    try {
      respond(written(await answering(asked.body)))
    } catch (error) {
      this.#deps.onError(error, message.subject)
      if (this.#connection) respond(JSON.stringify({ failed: true })) // otherwise the requester would wait until its timeout
    }
  }

  /** Also undefined for a message that the same receiver already got: a recorded message is being replayed. */
  #openedOnce(message: Msg, about: string, receiver: string | number): Said | undefined {
    const said = this.#opened(message, about)
    if (!said || this.#seen.isNew(`${receiver} ${said.nonce}`)) return said
    this.#deps.onIgnored('replayed')
    return undefined
  }

  #opened(message: Msg, about: string): Said | undefined {
    try {
      const { text, nonce } = this.#deps.seal.open(message.data, about)
      return { ...(JSON.parse(text) as { body?: unknown; failed?: true }), nonce }
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      this.#deps.onIgnored(error.why)
      return undefined
    }
  }
}

interface Said {
  body?: unknown
  failed?: true
  nonce: string
}

/** Without port and brackets: `[::1]:4222` is `::1`. */
const hostOf = (server: string): string => server.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')

const written = (body: unknown): string => JSON.stringify({ body })

/** A reply is valid for one request only. */
const replyTo = (about: string, nonce: string): string => `${about} ${nonce}`

const isAnonymousCaller = (error: Error): boolean => /no responders/i.test(error.message)
