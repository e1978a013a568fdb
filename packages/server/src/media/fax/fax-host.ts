import { PortTaken, type Udp, type Receive, type SocketAddress, type UdpSocket } from '../socket/socket.ts'
import { type FaxCommand, type FaxEvent, FaxRun, type FaxSettings } from './fax-run.ts'
import type { SpandspLibrary } from './spandsp.ts'
import { isIPv6 } from 'node:net'
import { isSame, SourceLock } from '../socket/source-lock.ts'
import type { FaxRemote } from './engine.ts'

interface FaxHostDeps {
  library: SpandspLibrary
  udp: Udp
  notify: (event: FaxEvent) => void
  now: () => number
}

const frameMs = 20
/** A socket delivers one packet per poll; after this many rounds the backlog is drained. */
const maxRounds = 64
/** Beyond this lateness missed frames are useless: the far end has stopped waiting. */
const tooLateMs = 1000

interface Fax {
  run: FaxRun
  socket: FaxSocket
}

/** Faxes of one process, and their time: by the clock, never by counting timer ticks. */
export class FaxHost {
  readonly #deps: FaxHostDeps
  readonly #faxes = new Map<number, Fax>()
  #dueMs = 0
  #arrivals = 0

  constructor(deps: FaxHostDeps) {
    this.#deps = deps
  }

  get idle(): boolean {
    return this.#faxes.size === 0
  }

  async perform(command: FaxCommand): Promise<void> {
    if (command.do === 'watch') return this.#deps.notify({ tell: 'alive' })
    if (command.do === 'open') return this.#open(command)
    const fax = this.#faxes.get(command.fax)
    if (!fax) return command.do === 'close' ? this.#deps.notify({ tell: 'closed', fax: command.fax }) : undefined
    this.#contained(command.fax, () => {
      if (command.do === 'close') this.#close(command.fax, fax)
      else if (command.do === 'start') fax.run.start(command.job)
      else this.#turn(fax, command.settings)
    })
  }

  /** Runs everything that is due. Returns the time until the next work. */
  pass(): number {
    const { now } = this.#deps
    const nowMs = now()
    this.#receive(nowMs)
    if (nowMs - this.#dueMs > tooLateMs) this.#dueMs = nowMs
    for (; this.#dueMs <= nowMs; this.#dueMs += frameMs) for (const [id, { run }] of this.#faxes) this.#contained(id, () => run.tick())
    return Math.max(1, this.#dueMs - now())
  }

  #receive(nowMs: number): void {
    for (let round = 0; round < maxRounds; round++) {
      const before = this.#arrivals
      this.#deps.udp.poll(nowMs)
      if (this.#arrivals === before) return
    }
  }

  async #open({ fax: id, address, port, calling }: Extract<FaxCommand, { do: 'open' }>): Promise<void> {
    const { library, udp, notify } = this.#deps
    const run = new FaxRun({
      library,
      calling,
      send: (bytes) => this.#faxes.get(id)?.socket.send(bytes),
      observer: {
        settled: () => notify({ tell: 'settled', fax: id }),
        page: (pages) => notify({ tell: 'page', fax: id, pages }),
        done: (outcome) => notify({ tell: 'done', fax: id, outcome }),
      },
    })
    try {
      const socket = await FaxSocket.open(udp, address, port, (bytes) => this.#received(id, bytes))
      if (this.idle) this.#dueMs = this.#deps.now()
      this.#faxes.set(id, { run, socket })
      notify({ tell: 'opened', fax: id, opened: true })
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error
      notify({ tell: 'opened', fax: id, opened: false })
    }
  }

  #turn({ run, socket }: Fax, settings: FaxSettings): void {
    socket.turnTo(settings)
    run.configure(settings)
  }

  #received(id: number, bytes: Uint8Array): boolean {
    this.#arrivals++
    let taken = false
    this.#contained(id, () => (taken = this.#faxes.get(id)?.run.receive(bytes) ?? false))
    return taken
  }

  #close(id: number, { run, socket }: Fax): void {
    this.#faxes.delete(id)
    socket.close()
    run.close()
    this.#deps.notify({ tell: 'closed', fax: id })
  }

  /** An internal error ends only its own fax: its last event is `closed`. */
  #contained(id: number, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#faxes.get(id)?.socket.close()
      this.#faxes.delete(id)
      this.#deps.notify({ tell: 'closed', fax: id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
}

/** One port and its accepted source, by SourceLock. */
export class FaxSocket {
  readonly #address: string
  readonly #arrived: (bytes: Uint8Array) => boolean
  #socket: UdpSocket | undefined
  #line: FaxRemote | undefined
  #lock: SourceLock | undefined
  #target: SocketAddress | undefined
  #reachable = false

  private constructor(address: string, arrived: (bytes: Uint8Array) => boolean) {
    this.#address = address
    this.#arrived = arrived
  }

  /** `arrived`: false for unrelated packets. Throws PortTaken. */
  static async open(udp: Udp, address: string, port: number, arrived: (bytes: Uint8Array) => boolean): Promise<FaxSocket> {
    const socket = new FaxSocket(address, arrived)
    socket.#socket = await udp.open(address, port, socket.#receive)
    return socket
  }

  turnTo(line: FaxRemote): void {
    const { remote, alsoFrom } = line
    if (this.#line && isSame(this.#line.remote, remote) && this.#line.alsoFrom.join() === alsoFrom.join()) return
    this.#line = line
    this.#reachable = remote.port !== 0 && !/^[0:.]*$/.test(remote.address) && (!isIPv6(remote.address) || this.#address.includes(':'))
    this.#target = undefined
    this.#lock = new SourceLock(remote, alsoFrom)
    if (this.#reachable) this.#socket?.aim(remote)
  }

  send(bytes: Uint8Array): void {
    if (this.#reachable) this.#socket?.send(bytes, bytes.length)
  }

  close(): void {
    this.#socket?.close()
  }

  readonly #receive: Receive = (bytes, length, from, nowMs) => {
    const lock = this.#lock
    if (!from || !lock?.admits(from, nowMs) || !this.#arrived(bytes.subarray(0, length))) return
    lock.confirm(from, nowMs)
    this.#answerTo(from)
  }

  /** Immediately: over UDPTL the far end may wait for us after a single packet, and there may never be enough packets for the lock. */
  #answerTo(sender: SocketAddress): void {
    if (this.#target && isSame(this.#target, sender)) return
    this.#target = sender
    this.#reachable = true
    this.#socket?.aim(sender)
  }
}
