import { randomBytes } from 'node:crypto'
import { Client, type Notification } from 'pg'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Intercom, IntercomEar } from '#core/kernel/ports/intercom.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { inPieces, Pieces } from './notification-pieces.ts'

export interface PostgresIntercomParts {
  url: string
  /** Messages are encrypted on their way through PostgreSQL: they hold keys of customers and words of callers. */
  vault: Vault
  clock: Clock
  /** Called when the connection is lost, and for the first message that cannot be decrypted, such as of a process with another key. */
  onError: (error: Error) => void
}

const everybody = 'offhook'
const reconnectMs = 1_000
const connectMs = 10_000
/** PostgreSQL answers within milliseconds, or is not there any more. */
const longestQueryMs = 5_000
/** Bytes that wait for PostgreSQL; above it messages are refused. */
const mostWaitingChars = 32 * 1024 * 1024
const piecesAtOnce = 256

const notify = 'select pg_notify(said.channel, said.piece) from unnest($1::text[], $2::text[]) as said(channel, piece)'

/** Over PostgreSQL's notifications: one connection of its own for each process, with a channel for it and one for all. */
export const postgresIntercom = (parts: PostgresIntercomParts): Intercom => new PostgresIntercom(parts)

class PostgresIntercom implements Intercom {
  readonly #parts: PostgresIntercomParts
  readonly #name = randomBytes(16).toString('hex')
  #ear: IntercomEar | undefined
  #client: Client | undefined
  #connecting: Promise<void> = Promise.resolve()
  #waiting: { channel: string; piece: string }[] = []
  #waitingChars = 0
  #sending: Promise<void> | undefined
  #pieces = new Pieces()
  #cancelTimer: () => void = () => {}
  #isDown = false
  #hasMisunderstood = false
  #closed = false

  constructor(parts: PostgresIntercomParts) {
    this.#parts = parts
  }

  attach(ear: IntercomEar): void {
    this.#ear = ear
    this.#connecting = this.#connect()
  }

  say(message: object, to?: string): boolean {
    if (!this.#client || this.#waitingChars > mostWaitingChars) return false
    const sealed = this.#parts.vault.seal(JSON.stringify({ from: this.#name, message }))
    const channel = to === undefined ? everybody : channelOf(to)
    for (const piece of inPieces(this.#name, sealed)) {
      this.#waiting.push({ channel, piece })
      this.#waitingChars += piece.length
    }
    this.#sending ??= this.#send()
    return true
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#connecting
    await this.#sending
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const limits = { connectionTimeoutMillis: connectMs, query_timeout: longestQueryMs }
    const client = new Client({ connectionString: this.#parts.url, ...limits, keepAlive: true })
    client.on('notification', (notification) => this.#take(notification))
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, new Error('the connection was ended')))
    try {
      await client.connect()
      await client.query(`listen ${everybody}; listen ${channelOf(this.#name)}`)
    } catch (error) {
      void client.end().catch(() => {})
      return this.#later(error as Error)
    }
    this.#client = client
    this.#isDown = false
    if (!this.#closed) this.#ear?.connected()
  }

  #lost(client: Client, error: Error): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#waiting = []
    this.#waitingChars = 0
    this.#pieces = new Pieces()
    void client.end().catch(() => {})
    this.#ear?.lost()
    this.#later(error)
  }

  #later(error: Error): void {
    if (this.#closed) return
    if (!this.#isDown) this.#parts.onError(error)
    this.#isDown = true
    this.#cancelTimer = this.#parts.clock.after(reconnectMs, () => {
      this.#connecting = this.#connect()
    })
  }

  /** Messages that come meanwhile go with the next query: each query is a transaction, and their order is the order of delivery. */
  async #send(): Promise<void> {
    for (let client = this.#client; client && this.#waiting.length > 0; client = this.#client) {
      const batch = this.#waiting.splice(0, piecesAtOnce)
      for (const { piece } of batch) this.#waitingChars -= piece.length
      const values = [batch.map(({ channel }) => channel), batch.map(({ piece }) => piece)]
      const asked = client
      await asked.query(notify, values).catch((error: Error) => this.#lost(asked, error))
    }
    this.#sending = undefined
  }

  #take({ payload = '' }: Notification): void {
    const sealed = this.#pieces.add(payload)
    if (sealed === undefined) return
    try {
      const { from, message } = JSON.parse(this.#parts.vault.open(sealed)) as { from: string; message: unknown }
      if (from !== this.#name) this.#ear?.heard(from, message)
    } catch (error) {
      this.#misunderstood(error as Error)
    }
  }

  #misunderstood(error: Error): void {
    if (!this.#hasMisunderstood) this.#parts.onError(error)
    this.#hasMisunderstood = true
  }
}

const channelOf = (name: string): string => `offhook_${name}`
