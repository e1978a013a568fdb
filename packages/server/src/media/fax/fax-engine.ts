import type { PortPool } from '../socket/port-pool.ts'
import {
  FaxUnavailable,
  type FaxEngine,
  type FaxEngineSettings,
  type FaxStream,
  type FaxAudioSettings,
  type FaxOutcome,
  type FaxReceiveJob,
  type FaxSendJob,
  type FaxStreamObserver,
  type FaxT38Settings,
} from './engine.ts'
import { FaxChild } from './fax-child.ts'
import { missingSpandsp } from './spandsp.ts'
import type { FaxEvent, FaxSettings } from './fax-run.ts'
import type { FaxJob } from './t30.ts'

/** Starts its first process with the first fax. */
export const startFaxEngine = (settings: FaxEngineSettings): FaxEngine => new Engine(settings)

const usual = { faxesPerProcess: 8, idleMs: 30_000, endMs: 3000, watch: { intervalMs: 2000, misses: 5 } }

class Engine implements FaxEngine {
  readonly #settings: FaxEngineSettings
  readonly #ports: PortPool
  readonly #children = new Set<FaxChild>()
  readonly #streams = new Set<FaxHandle>()
  #isThere = false
  #lastId = 0
  #closed = false

  constructor(settings: FaxEngineSettings) {
    this.#settings = settings
    this.#ports = settings.ports
  }

  get missing(): string | undefined {
    if (this.#isThere) return undefined
    const missing = this.#settings.without ?? missingSpandsp()
    this.#isThere = missing === undefined
    return missing
  }

  async open(calling: boolean, address = this.#settings.address): Promise<FaxStream> {
    for (;;) {
      const missing = this.#closed ? 'the service ends' : this.missing
      if (missing !== undefined) throw new FaxUnavailable(missing)
      const child = this.#childForNext()
      const port = this.#ports.take()
      const stream = new FaxHandle(++this.#lastId, port, child)
      this.#streams.add(stream)
      void stream.gone.then(() => {
        this.#streams.delete(stream)
        if (stream.elsewhere) this.#ports.avoid(port)
        else this.#ports.release(port)
      })
      if (await stream.open(address, calling)) return stream
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const child of this.#children) child.hurry()
    await Promise.all([...this.#streams].map((stream) => stream.close()))
    const exited = [...this.#children].map((child) => child.exited)
    for (const child of this.#children) child.end()
    await Promise.all(exited)
  }

  #childForNext(): FaxChild {
    const { faxesPerProcess = usual.faxesPerProcess } = this.#settings
    const withRoom = [...this.#children].find((child) => child.usable && child.load < faxesPerProcess)
    return withRoom ?? this.#startChild()
  }

  #startChild(): FaxChild {
    const { idleMs = usual.idleMs, endMs = usual.endMs, watch = usual.watch } = this.#settings
    const child: FaxChild = new FaxChild({
      idleMs,
      endMs,
      watch,
      failed: (why) => this.#settings.faxFailed?.(why),
      gone: (why) => {
        this.#children.delete(child)
        if (why !== undefined && !this.#closed) this.#settings.processDied?.(why)
      },
    })
    this.#children.add(child)
    if (child.pid !== undefined) this.#settings.processStarted?.(child.pid)
    return child
  }
}

/** Parent side of one fax. If its process dies, the fax ends with the results known so far. */
class FaxHandle implements FaxStream {
  readonly localPort: number
  settled = false
  /** Another program uses the port. */
  elsewhere = false
  readonly #id: number
  readonly #child: FaxChild
  readonly #opened = Promise.withResolvers<boolean>()
  readonly #outcome = Promise.withResolvers<FaxOutcome>()
  readonly #gone = Promise.withResolvers<void>()
  #observer: FaxStreamObserver = {}
  #pages = 0
  #carriedBy: FaxSettings['kind'] = 'audio'
  #closing = false

  constructor(id: number, port: number, child: FaxChild) {
    this.#id = id
    this.localPort = port
    this.#child = child
    this.#opened.promise.catch(() => {})
    child.listen(id, (event) => this.#notified(event))
  }

  /** Resolves when the port is free. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** False when another program uses the port. Throws FaxUnavailable. */
  async open(address: string, calling: boolean): Promise<boolean> {
    try {
      await this.#child.ready
      this.#child.notify({ do: 'open', fax: this.#id, address, port: this.localPort, calling })
      const opened = await this.#opened.promise
      this.elsewhere = !opened
      if (!opened) this.#end()
      return opened
    } catch (error) {
      this.#end()
      throw error
    }
  }

  audio(settings: FaxAudioSettings): void {
    this.#turn({ kind: 'audio', ...settings })
  }

  t38(settings: FaxT38Settings): void {
    this.#turn({ kind: 't38', ...settings })
  }

  send(job: FaxSendJob, observer?: FaxStreamObserver): Promise<FaxOutcome> {
    return this.#start({ kind: 'send', ...job }, observer)
  }

  receive(job: FaxReceiveJob, observer?: FaxStreamObserver): Promise<FaxOutcome> {
    return this.#start({ kind: 'receive', ...job }, observer)
  }

  close(): Promise<void> {
    if (!this.#closing) this.#child.notify({ do: 'close', fax: this.#id })
    this.#closing = true
    return this.gone
  }

  #turn(settings: FaxSettings): void {
    this.#carriedBy = settings.kind
    this.#child.notify({ do: 'configure', fax: this.#id, settings })
  }

  #start(job: FaxJob, observer: FaxStreamObserver = {}): Promise<FaxOutcome> {
    this.#observer = observer
    this.#child.notify({ do: 'start', fax: this.#id, job })
    return this.#outcome.promise
  }

  #notified(event: Extract<FaxEvent, { fax: number }> | undefined): void {
    if (event === undefined || event.tell === 'closed') this.#end()
    else if (event.tell === 'opened') this.#opened.resolve(event.opened)
    else if (event.tell === 'done') this.#outcome.resolve(event.outcome)
    else if (event.tell === 'settled') this.settled = true
    else if (event.tell === 'page') {
      this.#pages = event.pages
      this.#observer.page?.(event.pages)
    }
  }

  /** Results not reported before are unknown. */
  #end(): void {
    this.#closing = true
    this.#opened.reject(new FaxUnavailable('the process for faxes ended'))
    const unknown = { code: undefined, bitRate: 0, errorCorrection: false, station: '' }
    this.#outcome.resolve({ ...unknown, pages: this.#pages, carriedBy: this.#carriedBy })
    this.#child.forget(this.#id)
    this.#gone.resolve()
  }
}
