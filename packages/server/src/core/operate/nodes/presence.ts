import type { Measurements } from '../metrics/measurements.ts'
import type { BusState } from '@offhook/contract/operator/nodes.ts'
import type { BusWatch } from './bus-watch.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { ClusterNode, NodeWork } from '#core/kernel/ports/store/operate/nodes.ts'

export interface PresenceDeps {
  store: Store
  /** Never put forward. */
  clock: Clock
  /** One run of one process. */
  id: string
  describe: () => Pick<ClusterNode, 'name' | 'version' | 'http' | 'sip'>
  work: () => NodeWork
  measurements: Measurements
  busWatch: BusWatch
  /** New calls are refused, or taken again. */
  setDraining: (value: boolean) => void
  /** How often it says that it is there, and looks what the operator wants. */
  everyMs: number
  onError: (error: unknown) => void
}

/** Tells the other processes and the operator that this one is there and what it does, and does what the operator wants of it. */
export class Presence {
  readonly #deps: PresenceDeps
  readonly #startedAt: number
  #started = false
  #draining = false
  #stopping = false
  #telling: Promise<void> = Promise.resolve()
  #cancelTimer: () => void = () => {}
  #closed = false

  constructor(deps: PresenceDeps) {
    this.#deps = deps
    this.#startedAt = deps.clock.now()
  }

  /** The name by which the operator knows this process. */
  get id(): string {
    return this.#deps.id
  }

  /** Whether new calls are welcome here. */
  get isReady(): boolean {
    return this.#started && !this.#draining
  }

  /** Whether the other processes are heard. */
  get bus(): BusState {
    return this.#deps.busWatch.state
  }

  /** As other processes want to know it. */
  get described(): Pick<ClusterNode, 'version' | 'http' | 'sip' | 'draining'> {
    const { version, http, sip } = this.#deps.describe()
    return { version, http, sip, draining: this.#draining }
  }

  /** From now on it says so again and again. Resolves when it did for the first time, or could not. */
  async start(): Promise<void> {
    const { store, id, describe, onError } = this.#deps
    await store.write(({ nodes }) => nodes.removeReplacedBy({ id, ...describe() })).catch(onError)
    await this.look()
    this.#started = true
    this.#schedulePoll()
  }

  /** Says so at once, and does what the operator wants. */
  look(): Promise<void> {
    this.#telling = this.#telling.then(() => this.#notify()).catch(this.#deps.onError)
    return this.#telling
  }

  /** The process is about to end: whatever the operator wants, from this moment on no calls are taken. */
  stop(): void {
    this.#stopping = true
    this.#drain(true)
    void this.look()
  }

  /** Nothing is being written at this moment. */
  idle(): Promise<void> {
    return this.#telling
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.look() // what was counted last
    const { store, id, onError } = this.#deps
    await store.write(({ nodes }) => nodes.remove(id)).catch(onError)
  }

  #schedulePoll(): void {
    if (this.#closed) return
    this.#cancelTimer = this.#deps.clock.after(this.#deps.everyMs, () => {
      void this.look()
      this.#schedulePoll()
    })
  }

  async #notify(): Promise<void> {
    const { store, clock, id, measurements, busWatch } = this.#deps
    await busWatch.look()
    const node = { id, ...this.#deps.describe() }
    const work = { ...this.#deps.work(), bus: this.bus }
    measurements.running(work.calls)
    const state = { startedAt: this.#startedAt, seenAt: clock.now(), draining: this.#draining, stopping: this.#stopping, work }
    const wanted = await measurements.keep(id, (samples) =>
      store.write(async ({ nodes, metrics }) => {
        await metrics.keep(samples)
        return nodes.keep({ ...node, ...state })
      }),
    )
    if (wanted !== this.#draining && !this.#stopping) await this.#follow(wanted)
  }

  /** A change is written at once. */
  async #follow(drain: boolean): Promise<void> {
    this.#drain(drain)
    await this.#notify()
  }

  #drain(value: boolean): void {
    this.#draining = value
    this.#deps.setDraining(value)
  }
}
