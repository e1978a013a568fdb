import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { once } from 'node:events'
import { Problem } from '@offhook/contract/problem.ts'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'
import type { LoginDeps } from '#core/account/identity/login/log-in.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SessionDeps } from '#core/money/paid-order.ts'
import { admitProgram, isAdmitted, type Program } from '#core/messages/sms/programs/program-login.ts'
import type { BindReply, MessageReply } from '@offhook/smpp/session/session-options.ts'
import type { BindRequest, MessageRequest } from '@offhook/smpp/pdu/pdu.ts'
import { SmppSession } from '@offhook/smpp/session/session.ts'
import { status } from '@offhook/smpp/pdu/status.ts'
import { ProgramFeed } from './program-feed.ts'
import { takeSubmit } from './take-submit.ts'

interface SmppServerDeps extends SessionDeps, LoginDeps {
  /** Clock of timeouts and rates of the SMPP sessions. */
  wallClock: Clock
  listen: ListenAddress | undefined
  /** The same over TLS. */
  secure: (ListenAddress & { certificate: Certificate }) | undefined
  /** Interval of polling the store for messages to programs written by other processes. */
  pollIntervalMs: number
  /** Milliseconds for the TLS handshake. Default: 10 s. */
  handshakeMs?: number
  onBound: (systemId: string, bound: boolean) => void
  onFault: (error: unknown) => void
}

export interface ListenAddress {
  host: string
  port: number
}

/** A connected customer's program. */
interface ProgramConnection {
  readonly session: SmppSession
  /** Undefined before its bind. A transmitter gets no feed. */
  bound: { readonly program: Program; readonly feed: ProgramFeed | undefined } | undefined
}

const maxConnections = 500
const maxPerAddress = 50
const maxPerLogin = 10
const closingMs = 5_000
/** Interval of checking logins: programs whose login has ended are disconnected, also silent ones. */
const checkLoginsMs = 30_000
const ourName = 'offhook'

/** SMPP server for customers' programs, each for one SMS extension. */
export class SmppServer {
  readonly #deps: SmppServerDeps
  readonly #servers: { scheme: 'smpp' | 'smpps'; server: Server }[] = []
  readonly #connections = new Set<ProgramConnection>()
  readonly #limit = new ConnectionLimit({ most: () => maxPerAddress, inAll: maxConnections })
  #stopPolling: () => void = () => {}
  #stopChecking: () => void = () => {}
  #closing = false

  constructor(deps: SmppServerDeps) {
    this.#deps = deps
  }

  /** Listens when it resolves. */
  async open(): Promise<void> {
    const { listen, secure, handshakeMs: handshakeTimeout = 10_000 } = this.#deps
    if (listen) await this.#listen('smpp', createServer(), listen)
    if (secure) {
      const { cert, key, onRenewed } = secure.certificate
      const server = createTlsServer({ cert, key, handshakeTimeout })
      onRenewed?.((renewed) => server.setSecureContext(renewed))
      await this.#listen('smpps', server, secure)
    }
    if (this.#servers.length === 0) return
    this.#recheck()
    this.#checkAgain()
  }

  /** Port of each served scheme. */
  ports(): { scheme: 'smpp' | 'smpps'; port: number }[] {
    return this.#servers.map(({ scheme, server }) => ({ scheme, port: (server.address() as AddressInfo).port }))
  }

  /** A message or receipt waits for this extension's program. */
  hasNews(accountId: string, smsId: string): void {
    for (const { bound } of this.#connections)
      if (bound?.program.accountId === accountId && bound.program.smsId === smsId) bound.feed?.look()
  }

  /** Resolves when no delivery to a program is pending. */
  async idle(): Promise<void> {
    for (const { bound } of this.#connections) await bound?.feed?.idle()
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#stopPolling()
    this.#stopChecking()
    for (const { server } of this.#servers) server.close()
    const leaving = Array.from(this.#connections, async ({ session, bound }) => {
      bound?.feed?.stop()
      const late = setTimeout(() => session.destroy('the service ends'), closingMs)
      await session.unbind()
      clearTimeout(late)
      await bound?.feed?.idle()
    })
    await Promise.all(leaving)
    this.#limit.destroyAll() // connections with an unfinished TLS handshake
  }

  async #listen(scheme: 'smpp' | 'smpps', server: Server, { host, port }: ListenAddress): Promise<void> {
    server.on('connection', (raw: Socket) => void this.#limit.admit(raw)) // counted before the TLS handshake, too
    server.on(scheme === 'smpp' ? 'connection' : 'secureConnection', (socket: Socket) => this.#accept(socket))
    server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
    server.listen(port, host)
    await once(server, 'listening')
    server.on('error', this.#deps.onFault)
    this.#servers.push({ scheme, server })
  }

  #accept(socket: Socket): void {
    socket.on('error', () => {}) // the session reports the end
    const ip = socket.remoteAddress ?? ''
    if (this.#closing || socket.destroyed) return void socket.destroy()
    const { wallClock: clock, onFault } = this.#deps
    const connection: ProgramConnection = {
      bound: undefined,
      session: new SmppSession({
        role: 'smsc',
        socket,
        clock,
        bind: (request) => this.#bind(connection, request, ip),
        message: (request) => this.#submit(connection, request),
        fault: onFault,
      }),
    }
    this.#connections.add(connection)
    void connection.session.closed.then(() => this.#closed(connection))
  }

  #closed(connection: ProgramConnection): void {
    this.#connections.delete(connection)
    const { bound } = connection
    bound?.feed?.stop()
    if (bound) this.#deps.onBound(bound.program.systemId, false)
  }

  async #bind(connection: ProgramConnection, { command, systemId, password }: BindRequest, ip: string): Promise<BindReply> {
    if (this.#closing) return { status: status.bindFailed }
    const program = await this.#admit({ systemId, password, ip })
    if (typeof program === 'number') return { status: program }
    if (!this.#connections.has(connection)) return { status: status.bindFailed } // closed in the meantime
    const others = Array.from(this.#connections).filter(({ bound }) => bound?.program.systemId === systemId)
    if (others.length >= maxPerLogin) return { status: status.bindFailed }
    const { session } = connection
    const feed = command === 'bind_transmitter' ? undefined : new ProgramFeed({ ...this.#deps, program, session })
    connection.bound = { program, feed }
    this.#deps.onBound(systemId, true)
    if (feed) setImmediate(() => feed.look()) // after the response to the bind
    return { status: status.ok, systemId: ourName }
  }

  /** The program, or the status that rejects its bind. */
  async #admit(login: { systemId: string; password: string; ip: string }): Promise<Program | number> {
    try {
      return await admitProgram(this.#deps, login)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return error.code === 'rate_limited' ? status.throttled : status.invalidPassword
    }
  }

  async #submit({ bound, session }: ProgramConnection, request: MessageRequest): Promise<MessageReply> {
    if (!bound) return { status: status.wrongBindState }
    if (await isAdmitted(this.#deps.store, bound.program)) return takeSubmit(this.#deps, bound.program, request)
    session.destroy('its login has ended')
    return { status: status.invalidPassword }
  }

  #checkAgain(): void {
    this.#stopChecking = this.#deps.wallClock.after(checkLoginsMs, () => {
      void this.#checkLogins().catch(this.#deps.onFault)
      this.#checkAgain()
    })
  }

  /** One after the other: it is not urgent. */
  async #checkLogins(): Promise<void> {
    for (const { session, bound } of this.#connections)
      if (bound && !this.#closing && !(await isAdmitted(this.#deps.store, bound.program))) session.destroy('its login has ended')
  }

  #recheck(): void {
    this.#stopPolling = this.#deps.wallClock.after(this.#deps.pollIntervalMs, () => {
      for (const { bound } of this.#connections) bound?.feed?.look()
      this.#recheck()
    })
  }
}
