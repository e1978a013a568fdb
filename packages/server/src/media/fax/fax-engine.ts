import type { PortPool } from '../socket/port-pool.ts'
import { FaxUnavailable, type FaxEngine, type FaxEngineSettings, type FaxStream } from './engine.ts'
import { FaxChild } from './fax-child.ts'
import { FaxHandle } from './fax-handle.ts'
import { missingSpandsp } from './spandsp.ts'

/** Its first process starts with the first fax. */
export const startFaxEngine = (settings: FaxEngineSettings): FaxEngine => new Engine(settings)

const usual = { faxesPerProcess: 8, idleMs: 30_000, endMs: 3000, watch: { everyMs: 2000, misses: 5 } }

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

  async open(calling: boolean): Promise<FaxStream> {
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
      if (await stream.open(this.#settings.address, calling)) return stream
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
