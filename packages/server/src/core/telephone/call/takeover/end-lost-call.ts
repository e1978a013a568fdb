import type { CallFacts } from '#core/kernel/ports/call-observer.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { RecordingFiles } from '#core/kernel/ports/recording-files.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Lease } from '#core/kernel/ports/store/work/leases.ts'
import type { CallHold, SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import type { SavedDialog, Telephony } from '#core/kernel/ports/telephony.ts'
import { endLostTimeline } from '#core/telephone/timeline/end-lost-timelines.ts'
import type { Course } from '../records/course.ts'
import { writeEntries } from '../records/write-entries.ts'
import { serviceFailure } from '../state/end.ts'
import { lastSign } from '#core/kernel/work/leases.ts'
import { settleMeter } from '../money/prepaid.ts'
import { addSound, readSnapshot, type LostCall } from '../records/snapshot.ts'

export interface RecoverDeps {
  store: Store
  clock: Clock
  files: Pick<RecordingFiles, 'leftBy'>
  sayBye: Telephony['sayBye']
  /** Something was put into the outbox. */
  wake: () => void
  onFailure: (error: unknown, callId: string) => void
  /** A call was ended that its process did not come to tell of. For traces. */
  onEnded?: ((call: CallFacts) => void) | undefined
  /** Ends what else belongs to a call, in the transaction that ends the call. */
  alsoEnds: (tables: Tables, callId: string, at: number) => Promise<void>
  /** Goes on with what can go on, before the rest is ended; undefined where nothing can. */
  rescue?: (lease: Lease) => Promise<void>
  /** What a process may leave without a call. Each ends some of it, and is true when there may be more. */
  leftovers: readonly ((deps: Pick<RecoverDeps, 'store' | 'clock' | 'sayBye' | 'wake' | 'onFailure'>, lease: Lease) => Promise<boolean>)[]
}

/** `theirs`: the process that has it is alive after all. `gone`: another process has taken or ended it. */
type Taken = 'ours' | 'theirs' | 'gone'

type Step = (tables: Tables) => Promise<void>

/** False when the process that had the call is there after all. */
type Guard = (tables: Tables) => Promise<boolean>

/** False when its process is there after all; then nothing has happened. */
export const endLostCall = async (deps: RecoverDeps, lease: Lease, saved: SavedCall): Promise<boolean> => {
  const call = await readLost(deps, saved)
  const aliveAt = Math.max(lastSign(lease), saved.savedAt)
  const taken = await close(deps, (tables) => tables.leases.lock(lease), saved, stepsOf(deps, call, saved, aliveAt))
  if (taken === 'ours') sayAll(deps, { call, saved, aliveAt }, call.dialogs)
  return taken !== 'theirs'
}

/** Ends a call that this process has taken over and cannot go on with. `dialogs`: of the phones that do not know it yet. */
export const endClaimedCall = async (
  deps: RecoverDeps,
  saved: SavedCall,
  { aliveAt, dialogs }: { aliveAt: number; dialogs: readonly SavedDialog[] },
): Promise<void> => {
  const call = await readLost(deps, saved)
  const lastAlive = Math.max(aliveAt, saved.savedAt)
  const steps = [...stepsOf(deps, call, saved, lastAlive), ...timelineSteps(deps, call, saved)]
  const taken = await close(deps, () => Promise.resolve(true), saved, steps)
  if (taken === 'ours') sayAll(deps, { call, saved, aliveAt: lastAlive }, dialogs)
}

/** What its process noted was taken over with it. */
const timelineSteps = ({ clock }: RecoverDeps, { sides }: LostCall, { callId }: SavedCall): Step[] =>
  sides.map(
    ({ accountId }) =>
      (tables) =>
        endLostTimeline(tables, accountId, callId, clock.now()),
  )

interface Ended {
  call: LostCall
  saved: SavedCall
  /** For the last time. */
  aliveAt: number
}

const sayAll = ({ wake, sayBye, onEnded, onFailure }: RecoverDeps, ended: Ended, dialogs: readonly SavedDialog[]): void => {
  wake()
  onEnded?.(factsOf(ended))
  for (const dialog of dialogs) void sayBye(dialog).catch((error: unknown) => onFailure(error, ended.saved.callId))
}

const factsOf = ({ call: { startedAt, sides }, saved: { callId, snapshot }, aliveAt }: Ended): CallFacts => {
  const { answeredAt, trace } = (snapshot.course ?? {}) as Partial<Pick<Course, 'answeredAt' | 'trace'>>
  return {
    callId,
    accountIds: sides.map(({ accountId }) => accountId),
    from: undefined,
    to: '',
    startedAt,
    answeredAt,
    endedAt: aliveAt,
    end: serviceFailure,
    at: aliveAt,
    trace,
    codecs: () => [],
  }
}

const readLost = async ({ files, onFailure }: RecoverDeps, { callId, snapshot, savedAt }: SavedCall): Promise<LostCall> => {
  const call = readSnapshot({ ...snapshot }, savedAt)
  if (call.unread.length > 0) onFailure(new Error(`of a lost call these parts cannot be read: ${call.unread.join(', ')}`), callId)
  for (const recording of call.recordings) {
    const { accountId, id, at } = recording
    const sound = await files.leftBy({ accountId, id }).catch((error: unknown) => onFailure(error, callId))
    if (sound) addSound(call.sides, recording, { id, at, ...sound, truncated: true })
  }
  return call
}

/** `at`: when it was alive for the last time. */
const stepsOf = ({ clock, alsoEnds }: RecoverDeps, { startedAt, sides, meters }: LostCall, { callId }: SavedCall, at: number): Step[] => [
  ...meters.map((meter) => (tables: Tables) => settleMeter(tables, clock, meter, at)),
  ...sides.map((side) => (tables: Tables) => writeEntries(tables, { callId, startedAt, endedAt: at, end: serviceFailure }, [side])),
  (tables) => alsoEnds(tables, callId, clock.now()),
]

/** One transaction. When something in it cannot be done, the rest is, so that one call does not stop all others for ever. */
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

/** The process that takes the call out of the table is the one that ends it. */
const take = async (tables: Tables, guard: Guard, hold: CallHold, steps: readonly Step[]): Promise<Taken> => {
  if (!(await guard(tables))) return 'theirs'
  if (!(await tables.runningCalls.remove(hold))) return 'gone'
  for (const step of steps) await step(tables)
  return 'ours'
}
