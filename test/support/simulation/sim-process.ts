import { Refreshes } from '#adapters/telephony/phone/registrar.ts'
import { TrunkLeases } from '#core/account/trunks/trunk-leases.ts'
import { Heartbeat } from '#core/kernel/peer-nodes/heartbeat.ts'
import { Ownership } from '#core/kernel/peer-nodes/ownership.ts'
import { takeOverLost } from '#core/kernel/peer-nodes/takers.ts'
import type { End } from '#core/kernel/ports/calls.ts'
import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import type { CallHold, SavedCall } from '#core/kernel/ports/store/call.ts'
import type { Refresh } from '#core/kernel/ports/store/device.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import { Leases } from '#core/kernel/work/leases.ts'
import { Tasks, type Task } from '#core/kernel/work/worker.ts'
import { RunningCallRecord } from '#core/telephone/call/records/running-call-record.ts'
import { snapshotVersion } from '#core/telephone/call/records/snapshot.ts'
import { takenOver } from '#core/telephone/call/state/end.ts'
import { CallTakeover } from '#core/telephone/call/takeover/call-takeover.ts'
import { leaseJobs, type RecoverDeps } from '#core/telephone/call/takeover/end-lost-call.ts'
import { SimPermit } from './sim-permit.ts'
import type { SimHost } from './sim-time.ts'

/** Notices of a process to the scene. */
export interface SimObserver {
  onBegan(callId: string, by: SimProcess, isTakeover: boolean): void
  onEnded(callId: string, by: SimProcess): void
  /** It begins or stops to send. */
  onPermit(by: SimProcess): void
  onGone(owner: string): void
  onFailure(error: unknown): void
  probe(http: string, from: SimHost): Promise<boolean>
}

interface SimProcessDeps {
  owner: string
  host: SimHost
  clock: Clock
  bus: Bus
  /** Bus of the shared state. */
  stateBus: Bus
  store: Store
  isStoreAway: () => boolean
  observer: SimObserver
  trunkIds: readonly string[]
  /** Milliseconds until both phones of a call have answered the INVITE of its new process. */
  reinviteMs: () => number
}

interface SimCall {
  record: RunningCallRecord
  end: End | undefined
}

type TakenCall = Pick<CallHold, 'callId' | 'epoch'>

const refreshWindowMs = 250
/** Milliseconds without a heartbeat when a node is reported gone. */
const silentMs = 1_000

/** One process: heartbeats, leases, call records, takeover, shared state, trunk leases and refreshes are the product's own. */
export class SimProcess {
  readonly #deps: SimProcessDeps
  readonly #leases: Leases
  readonly #heartbeat: Heartbeat
  readonly #ownership: Ownership
  readonly #permit: SimPermit
  readonly #calls = new Map<string, SimCall>()
  readonly #busy: SharedState<number>
  readonly #refreshes: Refreshes
  readonly #trunks: TrunkLeases
  readonly #leaseJob: Task | undefined
  draining = false

  constructor(deps: SimProcessDeps) {
    this.#deps = deps
    const { owner: self, host, clock, bus, stateBus, store, observer, trunkIds } = deps
    const onError = (error: unknown): void => observer.onFailure(error)
    this.#leases = new Leases({
      store,
      clock,
      tasks: new Tasks(),
      onFailure: onError,
      shared: true,
      doubtMs: () => this.#ownership.doubtMs,
    })
    Object.assign(this.#leases, { owner: self }) // random otherwise
    const probe = (http: string): Promise<boolean> => observer.probe(http, host)
    const heartbeat = new Heartbeat({ bus, clock, self, probe, onUnreachable: () => {} })
    this.#heartbeat = heartbeat
    heartbeat.onGone(({ owner }) => observer.onGone(owner))
    this.#permit = new SimPermit(clock, () => observer.onPermit(this))
    this.#ownership = new Ownership({
      contact: heartbeat.contact,
      clock,
      leaseEndsAt: () => this.#leases.endsAt,
      prove: () => this.#prove(),
      unmark: () => this.#leases.renew(),
      permit: (ms) => this.#permit.extend(ms),
    })
    this.#busy = new SharedState({ bus: stateBus, peerNodes: heartbeat, clock, kind: 'phones' })
    this.#refreshes = new Refreshes({ store, clock, windowMs: refreshWindowMs })
    this.#trunks = new TrunkLeases({ store, clock, peerNodes: heartbeat, onError })
    this.#trunks.want(trunkIds)
    const recovery: RecoverDeps = {
      store,
      clock,
      files: { leftBy: () => Promise.resolve(undefined) },
      sayBye: () => Promise.resolve(),
      wake: () => {},
      onFailure: onError,
      alsoEnds: () => Promise.resolve(),
      leftovers: [],
    }
    const takeover = new CallTakeover({
      ...recovery,
      leases: this.#leases,
      closing: new AbortController().signal,
      resume: (saved) => this.#resume(saved),
      living: () => (this.draining ? 0 : 1),
      ownership: this.#ownership,
      isHeard: (lost) => heartbeat.others().some((peer) => peer.owner === lost),
      onClaimed: (lost, calls) =>
        bus.notify(
          `taken.${lost}`,
          calls.map(({ callId, epoch }) => ({ callId, epoch })),
        ),
    })
    bus.hear(`taken.${self}`, (body) => this.#taken(body as TakenCall[]))
    takeOverLost({
      peerNodes: heartbeat,
      clock,
      self: () => ({ owner: self, draining: this.draining, region: host.region }),
      take: (owner, share) => void takeover.ofSilent(owner, { aliveAt: clock.now() - silentMs, share }).catch(onError),
    })
    this.#leaseJob = leaseJobs({ ...recovery, takeover: (lease) => takeover.ofLease(lease), survivor: this.#leases })['lease']
  }

  get owner(): string {
    return this.#deps.owner
  }

  get host(): SimHost {
    return this.#deps.host
  }

  get callIds(): Iterable<string> {
    return this.#calls.keys()
  }

  get size(): number {
    return this.#calls.size
  }

  /** Its audio and events leave. A stall counts as one of the main thread only: the media threads send on while they may. */
  get sends(): boolean {
    return !this.host.dead && this.#permit.holds
  }

  /** Nodes that it knows. */
  get known(): number {
    return this.#heartbeat.others().length
  }

  start(): void {
    const { owner, host, isStoreAway } = this.#deps
    const same = { http: owner, sip: `sip:${owner}`, version: '1', snapshots: snapshotVersion, region: host.region }
    this.#heartbeat.start(() => ({ ...same, calls: this.#calls.size, draining: this.draining, storeAway: isStoreAway() }))
  }

  call(callId: string): void {
    const call = this.#track(callId, this.#deps.clock.now())
    call.record.open()
    this.#busy.set(callId, 1)
    this.#deps.observer.onBegan(callId, this, false)
  }

  /** As the product: the row and the history in one transaction. */
  hangUp(callId: string): void {
    const call = this.#calls.get(callId)
    if (!call) return
    call.end = { by: 'caller', reason: 'caller_hangup', cause: 'normal' }
    this.#drop(callId)
    const { store, observer } = this.#deps
    const settle = async (): Promise<void> => {
      await call.record.stop()
      await store.write(async (tables) => {
        if (await tables.runningCalls.remove(call.record.hold)) await tables.history.insert('', {} as never)
      })
      this.#leases.release(`call ${callId}`)
    }
    settle().catch((error: unknown) => observer.onFailure(error))
  }

  register(refresh: Refresh): void {
    this.#refreshes.renew(refresh).catch((error: unknown) => this.#deps.observer.onFailure(error))
  }

  /** Runs the job that another process's lease left due. */
  runLeaseJob(payload: unknown): void {
    void this.#leaseJob?.(payload, {} as never).catch((error: unknown) => this.#deps.observer.onFailure(error))
  }

  #track(callId: string, startedAt: number): SimCall {
    const { store, clock, observer } = this.#deps
    const call = { end: undefined } as SimCall
    const life = {
      id: callId,
      get end() {
        return call.end
      },
      finish: (end: End) => this.#lose(callId, end),
    }
    const snapshot = { version: snapshotVersion, startedAt, sides: [], meters: [], recordings: [], dialogs: [] }
    call.record = new RunningCallRecord({
      life,
      startedAt,
      context: { store, clock, leases: this.#leases, journal: undefined, wake: () => {}, onFailure: (error) => observer.onFailure(error) },
      details: { sides: [] },
      expenses: { open: [] },
      snapshot: () => snapshot,
    })
    this.#calls.set(callId, call)
    return call
  }

  async #resume({ callId, epoch, startedAt }: SavedCall): Promise<{ goesOn: true }> {
    const { clock, reinviteMs, observer } = this.#deps
    await new Promise<void>((resolve) => void clock.after(reinviteMs(), resolve))
    this.#track(callId, startedAt).record.resume({ epoch, unknown: {} })
    this.#busy.set(callId, 1)
    observer.onBegan(callId, this, true)
    return { goesOn: true }
  }

  async #prove(): Promise<void> {
    const held = await this.#leases.prove()
    const epochs = new Map(held?.map(({ callId, epoch }) => [callId, epoch]))
    const unsure = [...this.#calls].filter(([callId, { record }]) => held && epochs.get(callId) !== record.hold.epoch)
    await Promise.all(
      unsure.map(async ([callId, { record }]) => {
        if ((await record.possession()) !== 'ours') this.#lose(callId, takenOver)
      }),
    )
  }

  /** Another process has taken these calls. */
  #taken(taken: readonly TakenCall[]): void {
    for (const { callId, epoch } of taken)
      if (epoch > (this.#calls.get(callId)?.record.hold.epoch ?? Infinity)) this.#lose(callId, takenOver)
    this.#ownership.doubt()
  }

  #lose(callId: string, end: End): void {
    const call = this.#calls.get(callId)
    if (!call) return
    call.end = end
    this.#drop(callId)
    this.#leases.release(`call ${callId}`)
  }

  #drop(callId: string): void {
    this.#calls.delete(callId)
    this.#busy.set(callId, undefined)
    this.#deps.observer.onEnded(callId, this)
  }
}
