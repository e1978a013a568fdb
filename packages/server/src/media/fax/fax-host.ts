import { PortTaken, type Udp } from '../socket/socket.ts'
import type { FaxCommand, FaxEvent } from './fax-protocol.ts'
import { FaxRun, type FaxSettings } from './fax-run.ts'
import { FaxSocket } from './fax-socket.ts'
import type { SpandspLibrary } from './spandsp.ts'

export interface FaxHostDeps {
  library: SpandspLibrary
  udp: Udp
  notify: (event: FaxEvent) => void
  now: () => number
}

const frameMs = 20
/** A socket hands out one packet for each time that it is asked; after this number of rounds what has piled up is through. */
const maxRounds = 64
/** From this lateness on, what was missed is of no use: the far end has waited in vain. */
const tooLateMs = 1000

interface Fax {
  run: FaxRun
  socket: FaxSocket
}

/** The faxes of one process, and the time that passes for them: by the clock, never by counting how often a timer came. */
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

  /** Everything that is due until now. Gives how long there is nothing to do. */
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

  /** A fault of ours with one fax ends that one only: its last word is that it is closed. */
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
