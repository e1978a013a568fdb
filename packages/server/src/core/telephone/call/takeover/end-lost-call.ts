import type { CallFacts, End } from '#core/kernel/ports/calls.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { RecordingFiles } from '#core/kernel/ports/files.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Lease } from '#core/kernel/ports/store/work.ts'
import type { CallHold, SavedCall } from '#core/kernel/ports/store/call.ts'
import type { SavedDialog, Telephony } from '#core/kernel/ports/telephony.ts'
import { endLostTimeline, endLostTimelines } from '#core/telephone/timeline/late-entries.ts'
import { type Course, addLeftSound, readSnapshot, type LostCall } from '../records/snapshot.ts'
import { writeEntries } from '../records/settle-call.ts'
import { serviceFailure } from '../state/end.ts'
import { lastSign, suspectLater, leaseJob, type LeaseUncertainty } from '#core/kernel/work/leases.ts'
import { settleMeter } from '../money/prepaid.ts'
import type { Task } from '#core/kernel/work/worker.ts'

export interface RecoverDeps {
  store: Store
  clock: Clock
  files: Pick<RecordingFiles, 'leftBy'>
  sayBye: Telephony['sayBye']
  /** Called after a message was added to the outbox. */
  wake: () => void
  onFailure: (error: unknown, callId: string) => void
  /** Called for a call whose process could not report its end. For traces. */
  onEnded?: ((call: CallFacts) => void) | undefined
  /** Ends related data in the transaction that ends the call. */
  alsoEnds: (tables: Tables, callId: string, at: number, reason: End['reason']) => Promise<void>
  /** Milliseconds since the store was last unreachable. Default: it always answers. */
  storeSteadyMs?: () => number
  /** Resumes the calls that can be resumed before the rest is ended; undefined where takeover is not supported. */
  takeover?: (lease: Lease) => Promise<void>
  /** Cleanups of data without a call. Each handles a batch and returns true when there may be more. */
  leftovers: readonly ((deps: Pick<RecoverDeps, 'store' | 'clock' | 'sayBye' | 'wake' | 'onFailure'>, lease: Lease) => Promise<boolean>)[]
}

/** `theirs`: the owning node is alive after all. `gone`: another node has taken or ended the call. */
type Taken = 'ours' | 'theirs' | 'gone'

type Step = (tables: Tables) => Promise<void>

/** False when the owning node is alive after all. */
type Guard = (tables: Tables) => Promise<boolean>

/** False when the owning node is alive after all; nothing was changed then. */
export const endLostCall = async (deps: RecoverDeps, lease: Lease, saved: SavedCall): Promise<boolean> => {
  const call = await readLost(deps, saved)
  const ended = { saved, end: serviceFailure, aliveAt: Math.max(lastSign(lease), saved.savedAt) }
  const taken = await close(deps, (tables) => tables.leases.lock(lease), saved, stepsOf(deps, call, ended))
  if (taken === 'ours') sayAll(deps, { call, ...ended }, call.dialogs)
  return taken !== 'theirs'
}

/** Ends a call this node has claimed and cannot resume. `dialogs`: phones that still need a BYE. */
export const endClaimedCall = async (
  deps: RecoverDeps,
  saved: SavedCall,
  { aliveAt, dialogs, end = serviceFailure }: { aliveAt: number; dialogs: readonly SavedDialog[]; end?: End },
): Promise<void> => {
  const call = await readLost(deps, saved)
  const lastAlive = Math.max(aliveAt, saved.savedAt)
  const steps = [...stepsOf(deps, call, { saved, end, aliveAt: lastAlive }), ...timelineSteps(deps, call, saved)]
  const taken = await close(deps, () => Promise.resolve(true), saved, steps)
  if (taken === 'ours') sayAll(deps, { call, saved, end, aliveAt: lastAlive }, dialogs)
}

/** The timelines of its node were claimed with the call. */
const timelineSteps = ({ clock }: RecoverDeps, { sides }: LostCall, { callId }: SavedCall): Step[] =>
  sides.map(
    ({ accountId }) =>
      (tables) =>
        endLostTimeline(tables, accountId, callId, clock.now()),
  )

interface Ended {
  call: LostCall
  saved: SavedCall
  end: End
  /** Last time its node was alive. */
  aliveAt: number
}

const sayAll = ({ wake, sayBye, onEnded, onFailure }: RecoverDeps, ended: Ended, dialogs: readonly SavedDialog[]): void => {
  wake()
  onEnded?.(factsOf(ended))
  for (const dialog of dialogs) void sayBye(dialog).catch((error: unknown) => onFailure(error, ended.saved.callId))
}

const factsOf = ({ call: { startedAt, sides }, saved: { callId, snapshot }, end, aliveAt }: Ended): CallFacts => {
  const { answeredAt, trace } = (snapshot.course ?? {}) as Partial<Pick<Course, 'answeredAt' | 'trace'>>
  return {
    callId,
    accountIds: sides.map(({ accountId }) => accountId),
    from: undefined,
    to: '',
    startedAt,
    answeredAt,
    endedAt: aliveAt,
    end,
    at: aliveAt,
    trace,
    codecs: () => [],
  }
}

const readLost = async ({ files, onFailure }: RecoverDeps, { callId, snapshot, savedAt }: SavedCall): Promise<LostCall> => {
  const call = readSnapshot({ ...snapshot }, savedAt)
  if (call.unread.length > 0) onFailure(new Error(`of a lost call these parts cannot be read: ${call.unread.join(', ')}`), callId)
  for (const recording of call.recordings)
    await addLeftSound(files, call.sides, recording, savedAt).catch((error: unknown) => onFailure(error, callId))
  return call
}

const stepsOf = (
  { clock, alsoEnds }: RecoverDeps,
  { startedAt, sides, meters }: LostCall,
  { saved: { callId }, end, aliveAt: at }: Omit<Ended, 'call'>,
): Step[] => [
  ...meters.map((meter) => (tables: Tables) => settleMeter(tables, clock, meter, at)),
  ...sides.map((side) => (tables: Tables) => writeEntries(tables, { callId, startedAt, endedAt: at, end }, [side])),
  (tables) => alsoEnds(tables, callId, clock.now(), end.reason),
]

/** One transaction. If a step fails, the other steps run one by one, so that one call does not block all others forever. */
const close = async ({ store, onFailure }: RecoverDeps, guard: Guard, hold: CallHold, steps: readonly Step[]): Promise<Taken> => {
  const { callId } = hold
  try {
    return await store.write((tables) => take(tables, guard, hold, steps))
  } catch (error) {
    onFailure(error, callId)
  }
  const taken = await store.write((tables) => take(tables, guard, hold, []))
  if (taken === 'ours') for (const step of steps) await store.write(step).catch((error: unknown) => onFailure(error, callId))
  return taken
}

/** The node that removes the row is the one that ends the call. */
const take = async (tables: Tables, guard: Guard, hold: CallHold, steps: readonly Step[]): Promise<Taken> => {
  if (!(await guard(tables))) return 'theirs'
  if (!(await tables.runningCalls.remove(hold))) return 'gone'
  for (const step of steps) await step(tables)
  return 'ours'
}

const batchSize = 50
/** Longer than a live node stays silent, as seen by one that has checked twice. */
const secondPollMs = 8_000

/** At start, on a database of a single process: ends everything an earlier run left open. */
export const recoverAll = async (deps: RecoverDeps, owner: string): Promise<void> => {
  for (const lease of await deps.store.read.leases.listOthers(owner)) await takeOver(deps, lease)
}

/** At start, on a shared database: checks every lease, including those given up before. */
export const suspectAll = async ({ store, clock }: Pick<RecoverDeps, 'store' | 'clock'>, owner: string): Promise<void> => {
  const others = await store.read.leases.listOthers(owner)
  await store.write(async (tables) => {
    for (const other of others) await suspectLater(tables, { owner: other.owner }, clock.now())
  })
}

export interface Survivor {
  owner: string
  /** Renews this node's own lease. */
  renew(): Promise<void>
}

/**
 * A node that no longer renews its lease is gone: another one resumes its calls, or ends them and its sessions. Two checks are required: after a
 * machine sleep, a clock change or a database outage, live nodes look dead, too.
 */
export const leaseJobs = (deps: RecoverDeps & { survivor: Survivor }): Record<string, Task> => ({
  [leaseJob]: async (payload) => {
    const { owner, seen } = payload as LeaseUncertainty
    const { store, clock, survivor, storeSteadyMs = () => Infinity } = deps
    if (owner === survivor.owner) return survivor.renew()
    const lease = await store.read.leases.find(owner)
    if (!lease) return
    // After an outage of the store its owner may still send, because its peers reported that none could take its calls.
    if (lease.until === seen && storeSteadyMs() >= secondPollMs) return takeOver(deps, lease)
    const dueAt = Math.max(clock.now() + secondPollMs, lease.until + 1)
    await store.write((tables) => suspectLater(tables, { owner, seen: lease.until }, dueAt))
  },
})

/** Stops when the owner of the lease is alive after all: it then ends its lost calls itself. */
const takeOver = async (deps: RecoverDeps, lease: Lease): Promise<void> => {
  const { store } = deps
  await deps.takeover?.(lease)
  const list = (): Promise<SavedCall[]> => store.read.runningCalls.listOf(lease.owner, batchSize)
  for (let calls = await list(); calls.length > 0; calls = await list()) {
    const ended = await Promise.all(calls.map((call) => endLostCall(deps, lease, call)))
    if (ended.includes(false)) return
  }
  for (const endSome of deps.leftovers) while (await endSome(deps, lease));
  while (await endLostTimelines(deps, lease));
  await store.write(({ leases }) => leases.remove(lease))
}
