import type { Measurements } from '../metrics/measurements.ts'
import type { BusState } from '@offhook/contract/operator/nodes.ts'
import type { BusWatch } from './bus-watch.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { ClusterNode, NodeWork } from '#core/kernel/ports/store/operate.ts'

interface PresenceDeps {
  store: Store
  /** Never put forward. */
  clock: Clock
  /** One run of one process. */
  id: string
  describe: () => Pick<ClusterNode, 'name' | 'version' | 'http' | 'sip'>
  work: () => NodeWork
  measurements: Measurements
  busWatch: BusWatch
  /** Rejects new calls, or accepts them again. */
  setDraining: (value: boolean) => void
  /** Interval of heartbeats, which also read the operator's requests. */
  intervalMs: number
  onError: (error: unknown) => void
}

/** Reports this process and its load to the other processes and the operator, and applies the operator's requests. */
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

  /** Id by which the operator identifies this process. */
  get id(): string {
    return this.#deps.id
  }

  /** Whether this process accepts new calls. */
  get isReady(): boolean {
    return this.#started && !this.#draining
  }

  /** Whether the bus was reached since the start; true without one. */
  get hasReachedBus(): boolean {
    return this.#deps.busWatch.reached
  }

  /** Whether the other processes are heard. */
  get bus(): BusState {
    return this.#deps.busWatch.state
  }

  /** Description for the other processes. */
  get described(): Pick<ClusterNode, 'version' | 'http' | 'sip' | 'draining'> {
    const { version, http, sip } = this.#deps.describe()
    return { version, http, sip, draining: this.#draining }
  }

  /** Starts the heartbeats. Resolves after the first one succeeded or failed. */
  async start(): Promise<void> {
    const { store, id, describe, onError } = this.#deps
    await store.write(({ nodes }) => nodes.removeReplacedBy({ id, ...describe() })).catch(onError)
    await this.look()
    this.#started = true
    this.#schedulePoll()
  }

  /** Sends a heartbeat now and applies the operator's requests. */
  look(): Promise<void> {
    this.#telling = this.#telling.then(() => this.#notify()).catch(this.#deps.onError)
    return this.#telling
  }

  /** Called at shutdown: from now on no calls are accepted, regardless of the operator's requests. */
  stop(): void {
    this.#stopping = true
    this.#drain(true)
    void this.look()
  }

  /** Resolves when no write is pending. */
  idle(): Promise<void> {
    return this.#telling
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.look() // stores the last figures
    const { store, id, onError } = this.#deps
    await store.write(({ nodes }) => nodes.remove(id)).catch(onError)
  }

  #schedulePoll(): void {
    if (this.#closed) return
    this.#cancelTimer = this.#deps.clock.after(this.#deps.intervalMs, () => {
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

  /** Writes a change immediately. */
  async #follow(drain: boolean): Promise<void> {
    this.#drain(drain)
    await this.#notify()
  }

  #drain(value: boolean): void {
    this.#draining = value
    this.#deps.setDraining(value)
  }
}
