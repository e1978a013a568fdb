import { Heartbeat } from '#core/kernel/peer-nodes/heartbeat.ts'
import { Ownership } from '#core/kernel/peer-nodes/ownership.ts'
import { takeOverLost } from '#core/kernel/peer-nodes/takers.ts'
import type { Bus } from '#core/kernel/ports/platform.ts'
import type { CallHold } from '#core/kernel/ports/store/call.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { Leases } from '#core/kernel/work/leases.ts'
import { Tasks, Worker } from '#core/kernel/work/worker.ts'
import { snapshotVersion } from '#core/telephone/call/records/snapshot.ts'
import { CallTakeover } from '#core/telephone/call/takeover/call-takeover.ts'
import { leaseJobs, type RecoverDeps } from '#core/telephone/call/takeover/end-lost-call.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'
import { ScriptedRecordings } from '../ports/scripted-recordings.ts'
import { ProcessClock, SplitBus, splitStore, type Links, type SplitBroker } from './split-house.ts'

export interface HouseDeps {
  store: Store
  wire: VirtualClock
  broker: SplitBroker
  roll: (sides: number) => number
  track: <T>(work: Promise<T>) => Promise<T>
  /** Whether a process answers the health probe of another. */
  reaches: (from: SplitProcess, to: string) => boolean
  /** Called when this process begins or goes on to send. */
  sends: (process: SplitProcess) => void
}

/** The real parts that decide which process sends into a call, on a store and a bus that break. */
export class SplitProcess {
  readonly name: string
  readonly links: Links = { store: true, bus: 'well', stalled: 'no' }
  /** Epochs of its calls. */
  readonly calls = new Map<string, number>()
  readonly failures: unknown[] = []
  readonly clock: ProcessClock
  readonly bus: SplitBus
  readonly leases: Leases
  readonly ownership: Ownership
  readonly #deps: HouseDeps
  readonly #heartbeat: Heartbeat
  readonly #store: Store
  readonly #worker: Worker
  readonly #takeover: CallTakeover
  readonly #closing = new AbortController()
  #sendUntil = Infinity
  #stopTaking: () => void = () => {}
  #steadySince = 0
  #isStoreAway = false

  constructor(name: string, deps: HouseDeps) {
    const { wire, roll, broker, store, track } = deps
    this.name = name
    this.#deps = deps
    const clock = new ProcessClock(wire, this.links, roll(2_000) - 1_000)
    this.clock = clock
    this.#store = splitStore({ store, clock, wire, links: this.links, roll, track, answered: (yes) => this.#answered(yes) })
    const onFailure = (error: unknown): void => void this.failures.push(error)
    const tasks = new Tasks()
    this.leases = new Leases({ store: this.#store, clock, tasks, onFailure, shared: true, doubtMs: () => this.ownership.doubtMs })
    const { owner } = this.leases
    this.bus = new SplitBus({ broker, clock, wire, links: this.links, roll })
    const probe = async (http: string, ms: number): Promise<boolean> => {
      const answers = deps.reaches(this, http)
      await new Promise<void>((resolve) => void clock.after(answers ? 1 + roll(20) : ms, resolve))
      return answers && deps.reaches(this, http)
    }
    this.#heartbeat = new Heartbeat({ bus: this.bus as unknown as Bus, clock, self: owner, probe, onUnreachable() {} })
    this.ownership = new Ownership({
      contact: this.#heartbeat.contact,
      clock,
      leaseEndsAt: () => this.leases.endsAt,
      prove: () => this.#prove(),
      unmark: () => this.leases.renew(),
      permit: (ms) => {
        this.#sendUntil = clock.elapsed() + ms
        deps.sends(this)
      },
    })
    const recovery: RecoverDeps = {
      store: this.#store,
      clock,
      files: new ScriptedRecordings(),
      sayBye: () => Promise.resolve(),
      wake() {},
      onFailure,
      alsoEnds: () => Promise.resolve(),
      leftovers: [],
      storeSteadyMs: () => (this.#isStoreAway ? 0 : clock.elapsed() - this.#steadySince),
    }
    this.#takeover = new CallTakeover({
      ...recovery,
      leases: this.leases,
      ownership: this.ownership,
      living: () => this.#heartbeat.others().length + 1,
      isHeard: (lost) => this.#heartbeat.others().some((peer) => peer.owner === lost),
      onClaimed: (lost, calls) =>
        this.bus.notify(
          `taken.${lost}`,
          calls.map(({ callId, epoch }) => ({ callId, epoch })),
        ),
      resume: async ({ callId, epoch }) => {
        await this.#hold(callId, epoch)
        return { goesOn: true }
      },
      closing: this.#closing.signal,
    })
    this.#worker = new Worker({
      store: this.#store,
      clock,
      queue: ({ jobs }) => jobs,
      tasks: leaseJobs({ ...recovery, survivor: this.leases, takeover: (lease) => this.#takeover.ofLease(lease) }),
      retryAfterMs: [1_000],
      pollIntervalMs: 1_000,
      onError: (_kind, error) => onFailure(error),
    })
  }

  start(): void {
    const { owner } = this.leases
    this.#stopTaking = takeOverLost({
      peerNodes: this.#heartbeat,
      clock: this.clock,
      self: () => ({ owner, draining: false, region: undefined }),
      take: (lost, share) => void this.#takeover.ofSilent(lost, { aliveAt: this.clock.now(), share }),
    })
    this.bus.hear(`taken.${owner}`, (body) => {
      for (const { callId, epoch } of body as Pick<CallHold, 'callId' | 'epoch'>[])
        if (epoch > (this.calls.get(callId) ?? Infinity)) this.calls.delete(callId)
      this.ownership.doubt()
    })
    this.#worker.start()
    this.#heartbeat.start(() => ({
      http: this.name,
      sip: '',
      version: '1',
      snapshots: snapshotVersion,
      calls: this.calls.size,
      draining: false,
      storeAway: this.#isStoreAway,
    }))
  }

  /** Begins a call. */
  async open(callId: string): Promise<void> {
    const { owner } = this.leases
    const at = this.clock.now()
    const snapshot = { version: snapshotVersion, startedAt: at, sides: [], meters: [], recordings: [], dialogs: [] }
    await this.leases.hold(callId, ({ runningCalls }) =>
      runningCalls.open({ callId, owner, epoch: 1, startedAt: at, savedAt: at, snapshot }),
    )
    this.calls.set(callId, 1)
  }

  /** Whether audio of this call leaves now. */
  sends(callId: string): boolean {
    return this.calls.has(callId) && this.links.stalled !== 'all' && this.#deps.wire.elapsed() < this.#sendUntil
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#stopTaking()
    for (const callId of this.calls.keys()) this.leases.release(callId)
    await this.ownership.close()
    await this.#worker.close()
    await this.#heartbeat.close()
  }

  async #hold(callId: string, epoch: number): Promise<void> {
    this.calls.set(callId, epoch)
    await this.leases.hold(callId, () => Promise.resolve()).catch((error: unknown) => this.failures.push(error))
    this.#deps.sends(this)
  }

  async #prove(): Promise<void> {
    const held = await this.leases.prove()
    const epochs = new Map(held?.map(({ callId, epoch }) => [callId, epoch]))
    for (const [callId, epoch] of this.calls) {
      if (!held || epochs.get(callId) === epoch) continue
      const holder = await this.#store.read.runningCalls.holderOf(callId)
      if (holder?.owner === this.leases.owner && holder.epoch === this.calls.get(callId)) continue
      this.calls.delete(callId)
      this.leases.release(callId)
    }
  }

  #answered(yes: boolean): void {
    if (yes && this.#isStoreAway) this.#steadySince = this.clock.elapsed()
    const changed = this.#isStoreAway === yes
    this.#isStoreAway = !yes
    if (changed) this.#heartbeat.notify()
  }
}
