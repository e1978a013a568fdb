import { createHash } from 'node:crypto'
import { dice } from '#test/chance/dice.ts'
import { SimNet } from './sim-bus.ts'
import { SimProcess, type SimObserver } from './sim-process.ts'
import { SimStore } from './sim-store.ts'
import { SimHost, SimTime } from './sim-time.ts'
import { Senders } from './senders.ts'

export interface SimOptions {
  seed: number
  processes: number
  regions: readonly string[]
  /** Milliseconds between two regions, one way. The database is in the first one. */
  apartMs?: number
  lossPerMille?: number
  trunks?: number
}

const epoch = Date.UTC(2026, 10, 15)
/** Milliseconds over which the processes start, and until they know each other. */
const startMs = 2_000
const settledMs = 13_000
const leaseJobPollMs = 1_000
/** Processes that store the shared state of all others. */
const observers = 2
const probeTimeoutMs = 300

/** Simulated processes in regions, with one database and one bus. */
export class SimCluster {
  readonly time = new SimTime()
  readonly net: SimNet
  readonly store: SimStore
  readonly senders = new Senders(() => this.time.now)
  readonly processes: SimProcess[] = []
  readonly roll: (sides: number) => number
  readonly failures = new Map<string, number>()
  /** Times at which each lost process was noticed. */
  readonly goneAt = new Map<string, number[]>()
  /** Times at which a process stopped sending because its calls might not be its own. */
  silences = 0
  readonly #byOwner = new Map<string, SimProcess>()
  #calls = 0

  constructor({ seed, processes, regions, apartMs = 40, lossPerMille = 0, trunks = 20 }: SimOptions) {
    this.roll = dice(seed)
    this.net = new SimNet({ time: this.time, roll: this.roll, apartMs, lossPerMille })
    const [home = ''] = regions
    this.store = new SimStore({ time: this.time, rttMs: ({ region }) => (region === home ? 1 : 2 * apartMs) })
    const trunkIds = Array.from({ length: trunks }, (_, index) => `trunk ${index}`)
    for (let index = 0; index < processes; index++) {
      const host = new SimHost(this.time, regions[index % regions.length] ?? home)
      const owner = createHash('sha256').update(`${seed} ${index}`).digest('hex').slice(0, 32)
      const bus = this.net.bus(host)
      const stateBus = index < observers ? bus : this.net.countingBus(host)
      const reinviteMs = (): number => 30 + this.roll(50)
      const clock = host.clock(epoch)
      const isStoreAway = (): boolean => this.store.isAway(host)
      const observer = this.#observer()
      const store = this.store.of(host)
      const deps = { owner, host, clock, bus, stateBus, store, isStoreAway, trunkIds, reinviteMs, observer }
      this.time.after(this.roll(startMs), () => {
        const process = new SimProcess(deps)
        this.processes.push(process)
        this.#byOwner.set(owner, process)
        process.start()
      })
    }
  }

  get running(): SimProcess[] {
    return this.processes.filter(({ host }) => host.runs)
  }

  /** Runs until all processes know each other. */
  async settle(): Promise<void> {
    this.#pollLeaseJobs()
    await this.time.run(startMs + settledMs)
  }

  /** Begins a call at a random process. */
  call(): void {
    const { processes } = this
    const process = processes[this.roll(processes.length)]
    if (process?.host.runs) process.call(`call-${this.#calls++}`)
  }

  /** Ends a random call. */
  hangUp(): void {
    const process = this.processes[this.roll(this.processes.length)]
    const callId = process?.host.runs ? process.callIds[Symbol.iterator]().next().value : undefined
    if (callId !== undefined) process?.hangUp(callId)
  }

  register(device: number): void {
    const process = this.processes[this.roll(this.processes.length)]
    if (process?.host.runs) process.register({ identity: { deviceId: `p${device}` } } as never)
  }

  kill(...lost: SimProcess[]): void {
    for (const { host } of lost) host.kill()
    for (const process of lost) this.senders.changed(process)
  }

  stall(process: SimProcess, ms: number): void {
    process.host.stall()
    this.time.after(ms, () => process.host.resume())
  }

  /** Calls of these processes that are in the store. */
  callsOf(lost: readonly SimProcess[]): string[] {
    return lost.flatMap(({ owner }) => [...this.store.ownedBy(owner).keys()])
  }

  #observer(): SimObserver {
    return {
      onBegan: (callId, by, isTakeover) => this.senders.began(callId, by, isTakeover),
      onEnded: (callId, by) => this.senders.ended(callId, by),
      onPermit: (by) => {
        if (!by.sends) this.silences++
        this.senders.changed(by)
      },
      onGone: (owner) => {
        const times = this.goneAt.get(owner) ?? []
        times.push(this.time.now)
        this.goneAt.set(owner, times)
      },
      onFailure: (error) => {
        const text = error instanceof Error ? error.message : String(error)
        this.failures.set(text, (this.failures.get(text) ?? 0) + 1)
      },
      probe: (http, from) => this.#probe(http, from),
    }
  }

  #probe(owner: string, from: SimHost): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const to = this.#byOwner.get(owner)?.host
    const answers = to?.runs === true && this.net.reach(from, to)
    const ms = to && answers ? 2 * this.net.latencyMs(from, to) : probeTimeoutMs
    this.time.after(ms, () => from.run(() => resolve(answers)))
    return promise
  }

  /** Some process finds each due job. */
  #pollLeaseJobs(): void {
    const now = epoch + this.time.now
    const running = this.running.filter(({ host }) => !this.store.cut.has(host.region))
    for (const job of this.store.jobs.values()) {
      if (job.dueAt > now) continue
      this.store.jobs.delete(job.id)
      running[this.roll(running.length)]?.runLeaseJob(job.payload)
    }
    this.time.after(leaseJobPollMs, () => this.#pollLeaseJobs())
  }
}
