import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { once } from 'node:events'
import { Problem } from '@offhook/contract/problem.ts'
import { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'
import type { LoginParts } from '#core/account/identity/login/log-in.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { SessionParts } from '#core/money/paid-order.ts'
import { admitProgram, isAdmitted, type Program } from '#core/messages/sms/programs/program-login.ts'
import type { BindReply } from '@offhook/smpp/session/session-options.ts'
import type { BindRequest, MessageRequest } from '@offhook/smpp/pdu/pdu.ts'
import { SmppSession } from '@offhook/smpp/session/session.ts'
import { status } from '@offhook/smpp/pdu/status.ts'
import { ProgramFeed } from './program-feed.ts'
import { takeSubmit } from './take-submit.ts'

export interface SmppDoorParts extends SessionParts, LoginParts {
  /** What goes on between programs and us goes by this one. */
  wallClock: Clock
  listen: DoorAddress | undefined
  /** The same over TLS. */
  secure: (DoorAddress & { cert: string; key: string }) | undefined
  /** How often the store is polled for messages to programs that other processes have written. */
  lookEveryMs: number
  /** How long the TLS handshake may take (10 s). */
  handshakeMs?: number
  onBound: (systemId: string, bound: boolean) => void
  onFault: (error: unknown) => void
}

export interface DoorAddress {
  host: string
  port: number
}

/** A program at the door, bound or not yet. */
interface Visitor {
  session: SmppSession
  program: Program | undefined
  feed: ProgramFeed | undefined
}

const mostVisitors = 500
const mostOfOneAddress = 50
const mostOfOneLogin = 10
const closingMs = 5_000
/** Programs whose login has ended are sent away, also those that say nothing. */
const checkLoginsMs = 30_000
const ourName = 'offhook'

/** Where customers' programs bind over SMPP, each for one SMS extension. */
export class SmppDoor {
  readonly #parts: SmppDoorParts
  readonly #servers: { scheme: 'smpp' | 'smpps'; server: Server }[] = []
  readonly #visitors = new Set<Visitor>()
  readonly #limit = new ConnectionLimit({ most: () => mostOfOneAddress, inAll: mostVisitors })
  #stopLooking: () => void = () => {}
  #stopChecking: () => void = () => {}
  #closing = false

  constructor(parts: SmppDoorParts) {
    this.#parts = parts
  }

  /** Listens when it resolves. */
  async open(): Promise<void> {
    const { listen, secure, handshakeMs: handshakeTimeout = 10_000 } = this.#parts
    if (listen) await this.#listen('smpp', createServer(), listen)
    if (secure) await this.#listen('smpps', createTlsServer({ cert: secure.cert, key: secure.key, handshakeTimeout }), secure)
    if (this.#servers.length === 0) return
    this.#lookAgain()
    this.#checkAgain()
  }

  /** The port of each scheme that is served. */
  ports(): { scheme: 'smpp' | 'smpps'; port: number }[] {
    return this.#servers.map(({ scheme, server }) => ({ scheme, port: (server.address() as AddressInfo).port }))
  }

  /** Something waits for this extension's program. */
  hasNews(accountId: string, smsId: string): void {
    for (const { program, feed } of this.#visitors) if (program?.accountId === accountId && program.smsId === smsId) feed?.look()
  }

  /** Resolves when no delivery to a program is under way. */
  async idle(): Promise<void> {
    for (const { feed } of this.#visitors) await feed?.idle()
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#stopLooking()
    this.#stopChecking()
    for (const { server } of this.#servers) server.close()
    const leaving = Array.from(this.#visitors, async ({ session, feed }) => {
      feed?.stop()
      const late = setTimeout(() => session.destroy('the service ends'), closingMs)
      await session.unbind()
      clearTimeout(late)
      await feed?.idle()
    })
    await Promise.all(leaving)
    this.#limit.destroyAll() // connections whose TLS handshake was not finished
  }

  async #listen(scheme: 'smpp' | 'smpps', server: Server, { host, port }: DoorAddress): Promise<void> {
    server.on('connection', (raw: Socket) => void this.#limit.admit(raw)) // counted before TLS is agreed on, too
    server.on(scheme === 'smpp' ? 'connection' : 'secureConnection', (socket: Socket) => this.#welcome(socket))
    server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
    server.listen(port, host)
    await once(server, 'listening')
    server.on('error', this.#parts.onFault)
    this.#servers.push({ scheme, server })
  }

  #welcome(socket: Socket): void {
    socket.on('error', () => {}) // the session reports the end
    const ip = socket.remoteAddress ?? ''
    if (this.#closing || socket.destroyed) return void socket.destroy()
    const { wallClock: clock, onFault } = this.#parts
    const visitor: Visitor = {
      program: undefined,
      feed: undefined,
      session: new SmppSession({
        role: 'smsc',
        socket,
        clock,
        bind: (request) => this.#bind(visitor, request, ip),
        message: (request) => this.#submit(visitor, request),
        fault: onFault,
      }),
    }
    this.#visitors.add(visitor)
    void visitor.session.closed.then(() => this.#gone(visitor))
  }

  #gone(visitor: Visitor): void {
    this.#visitors.delete(visitor)
    visitor.feed?.stop()
    if (visitor.program) this.#parts.onBound(visitor.program.systemId, false)
  }

  async #bind(visitor: Visitor, { command, systemId, password }: BindRequest, ip: string): Promise<BindReply> {
    if (this.#closing) return { status: status.bindFailed }
    const program = await this.#admit({ systemId, password, ip })
    if (typeof program === 'number') return { status: program }
    if (!this.#visitors.has(visitor)) return { status: status.bindFailed } // it left meanwhile
    const others = Array.from(this.#visitors).filter((one) => one.program?.systemId === systemId)
    if (others.length >= mostOfOneLogin) return { status: status.bindFailed }
    visitor.program = program
    this.#parts.onBound(systemId, true)
    if (command !== 'bind_transmitter') {
      const feed = new ProgramFeed({ ...this.#parts, program, session: visitor.session })
      visitor.feed = feed
      setImmediate(() => feed.look()) // once it has heard that it is bound
    }
    return { status: status.ok, systemId: ourName }
  }

  /** Or the status that says why not. */
  async #admit(login: { systemId: string; password: string; ip: string }): Promise<Program | number> {
    try {
      return await admitProgram(this.#parts, login)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return error.code === 'rate_limited' ? status.throttled : status.invalidPassword
    }
  }

  async #submit({ program, session }: Visitor, request: MessageRequest) {
    if (!program) return { status: status.wrongBindState }
    if (await isAdmitted(this.#parts.store, program)) return takeSubmit(this.#parts, program, request)
    session.destroy('its login has ended')
    return { status: status.invalidPassword }
  }

  #checkAgain(): void {
    this.#stopChecking = this.#parts.wallClock.after(checkLoginsMs, () => {
      void this.#checkLogins().catch(this.#parts.onFault)
      this.#checkAgain()
    })
  }

  /** One after the other: it is not urgent. */
  async #checkLogins(): Promise<void> {
    for (const { session, program } of this.#visitors)
      if (program && !this.#closing && !(await isAdmitted(this.#parts.store, program))) session.destroy('its login has ended')
  }

  #lookAgain(): void {
    this.#stopLooking = this.#parts.wallClock.after(this.#parts.lookEveryMs, () => {
      for (const { feed } of this.#visitors) feed?.look()
      this.#lookAgain()
    })
  }
}
