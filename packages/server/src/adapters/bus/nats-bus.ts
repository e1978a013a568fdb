import { connect, type ConnectionOptions, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import { NoAnswer, NoAnswerError, type Answering, type Asking, type Bus, type Hearing } from '#core/kernel/ports/bus.ts'
import type { BusServers } from './bus-servers.ts'
import { SealError, type SealRejection, type Seal } from './seal.ts'

export interface NatsBusDeps {
  servers: BusServers
  /** PEM, asked for with each connection; needed where the server wants to see a certificate or has one of its own authority. */
  certificates: () => { cert?: string; key?: string; ca?: string }
  /** As the server's own tools call this process. */
  name: string
  /** `offhook.<installation>`: installations on one server never meet. */
  prefix: string
  seal: Seal
  /** `error`: why not. Told once for each change. */
  onConnected: (connected: boolean, error?: Error) => void
  /** Something was heard that no process of this installation said just now. */
  onIgnored: (why: SealRejection) => void
  /** A part of this process failed while it answered or heard, or said more than the server takes. */
  onError: (error: unknown, subject: string) => void
}

const connectMs = 2_000
/** A server that hangs is noticed after two of them. */
const pingMs = 1_000
const retryMs = 250
const closeMs = 1_000
const defaultPollMs = 2_000

/** Starts also while no server is there, and tries on. */
export const natsBus = (deps: NatsBusDeps): Bus => new NatsBus(deps)

interface Wanted {
  subject: string
  queue?: string
  take: (message: Msg) => void
  live?: Subscription
}

/**
 * Connects anew by itself instead of letting the client do it, so that the first connection is like any later one. What is asked goes to
 * `ask.<subject>`, where one of those who answer gets it, or to `all.<subject>`; what is told to `tell.<subject>`.
 */
class NatsBus implements Bus {
  readonly alone = false
  readonly #deps: NatsBusDeps
  readonly #wanted = new Set<Wanted>()
  readonly #watching = new Set<(connected: boolean) => void>()
  readonly #connecting: Promise<void>
  #connection: NatsConnection | undefined
  #wasAway = false
  #wakeUp: () => void = () => {}
  #closed = false

  constructor(deps: NatsBusDeps) {
    this.#deps = deps
    this.#connecting = this.#stayConnected()
  }

  get connected(): boolean {
    return this.#connection !== undefined
  }

  answer(subject: string, answering: Answering): () => void {
    const take = (message: Msg): void => void this.#reply(message, answering).catch((error) => this.#deps.onError(error, subject))
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
      // Counting ends it with the last one; the client's other ways wait for the whole time.
      const options = { strategy: 'count', maxWait: ms, maxMessages: expected } as const
      for await (const message of await connection.requestMany(about, question.bytes, options)) {
        const reply = this.#opened(message, replyTo(about, question.nonce))
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
    const take = (message: Msg): void => {
      const said = this.#opened(message, message.subject)
      if (said) hearing(said.body, message.subject.slice(prefix.length))
    }
    return this.#subscribe({ subject: this.#full('tell', subject), take })
  }

  onConnection(changed: (connected: boolean) => void): () => void {
    this.#watching.add(changed)
    return () => void this.#watching.delete(changed)
  }

  /** What was said last still goes out, if the server takes it. */
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
        await this.#serve(await connect(this.#options()))
      } catch (error) {
        this.#away(error as Error)
      }
      if (!this.#closed) await this.#pause(retryMs + Math.random() * retryMs)
    }
  }

  #options(): ConnectionOptions {
    const { servers, certificates, name, prefix } = this.#deps
    return {
      servers: servers.servers,
      ...servers.login,
      tls: servers.secure ? certificates() : null,
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

  #subscribe(wanted: Wanted): () => void {
    this.#wanted.add(wanted)
    this.#enter(wanted)
    return () => {
      this.#wanted.delete(wanted)
      if (this.#connection) wanted.live?.unsubscribe()
    }
  }

  #enter(wanted: Wanted): void {
    if (!this.#connection || this.#closed) return
    const { subject, queue, take } = wanted
    const callback = (error: Error | null, message: Msg): void => {
      try {
        if (error) throw error
        take(message)
      } catch (cause) {
        this.#deps.onError(cause, subject)
      }
    }
    wanted.live = this.#connection.subscribe(subject, { callback, ...(queue !== undefined && { queue }) })
  }

  async #reply(message: Msg, answering: Answering): Promise<void> {
    const asked = this.#opened(message, message.subject)
    if (!asked) return
    const respond = (text: string): boolean => message.respond(this.#deps.seal.close(text, replyTo(message.subject, asked.nonce)).bytes)
    try {
      respond(written(await answering(asked.body)))
    } catch (error) {
      this.#deps.onError(error, message.subject)
      if (this.#connection) respond(JSON.stringify({ failed: true })) // or the asker would wait for nothing
    }
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

const written = (body: unknown): string => JSON.stringify({ body })

/** A reply is good for one question only. */
const replyTo = (about: string, nonce: string): string => `${about} ${nonce}`

const isAnonymousCaller = (error: Error): boolean => /no responders/i.test(error.message)
