import type { Clock } from '../ports/clock.ts'
import type { RecordingFiles } from '../ports/recording-files.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import type { Lease } from '../ports/store/leases.ts'
import type { SavedCall } from '../ports/store/running-calls.ts'
import type { Telephony } from '../ports/telephony.ts'
import { endLostSession } from '../session/recover.ts'
import type { Task } from '../work/worker.ts'
import { writeEntries } from './close-books.ts'
import { serviceFailure } from './end.ts'
import { doubtLater, lastSign, leaseJob, type LeaseDoubt } from './leases.ts'
import { settleMeter } from './prepaid.ts'
import { addSound, readSnapshot, type LostCall } from './snapshot.ts'

const atOnce = 50
/** Longer than somebody who is there is silent, as seen by somebody who has looked twice. */
const patienceMs = 6_000

export interface RecoverParts {
  store: Store
  clock: Clock
  files: Pick<RecordingFiles, 'measure'>
  sayBye: Telephony['sayBye']
  /** Something was put into the outbox. */
  wake: () => void
  onFailure: (error: unknown, callId: string) => void
}

/** At the start, on a database that belongs to one process: whatever an earlier run left open is over. */
export const recoverAll = async (parts: RecoverParts, owner: string): Promise<void> => {
  for (const lease of await parts.store.read.leases.listOthers(owner)) await takeOver(parts, lease)
}

export interface Survivor {
  owner: string
  /** This process still has what it has. */
  renew(): Promise<void>
}

/**
 * Whoever does not say any more that it is there is gone: another process ends its calls and sessions. It has to look twice: after a sleep
 * of the machine, when somebody has set its clock, or when the database was away, those who are there seem to be gone, too.
 */
export const leaseJobs = (parts: RecoverParts & { survivor: Survivor }): Record<string, Task> => ({
  [leaseJob]: async (payload) => {
    const { owner, seen } = payload as LeaseDoubt
    const { store, clock, survivor } = parts
    if (owner === survivor.owner) return survivor.renew()
    const lease = await store.read.leases.find(owner)
    if (!lease) return
    if (lease.until === seen) return takeOver(parts, lease)
    const dueAt = Math.max(clock.now() + patienceMs, lease.until + 1)
    await store.write((tables) => doubtLater(tables, { owner, seen: lease.until }, dueAt))
  },
})

const takeOver = async (parts: RecoverParts, lease: Lease): Promise<void> => {
  const { store } = parts
  const list = (): Promise<SavedCall[]> => store.read.runningCalls.listOf(lease.owner, atOnce)
  for (let calls = await list(); calls.length > 0; calls = await list())
    await Promise.all(calls.map((call) => recoverCall(parts, call, Math.max(lastSign(lease), call.savedAt))))
  while (await endSessions(parts, lease));
  await store.write(({ leases }) => leases.remove(lease))
}

/** Of calls that nothing was written of. True when there may be more. */
const endSessions = async ({ store, clock, wake }: RecoverParts, { owner }: Lease): Promise<boolean> => {
  const ended = await store.write(async (tables) => {
    const left = await tables.sessions.listOpenOf(owner, atOnce)
    for (const session of left) await endLostSession(tables, session, clock.now())
    return left.length
  })
  if (ended > 0) wake()
  return ended === atOnce
}

/** One transaction; whoever takes the call out of the table is the one who ends it. `at`: when it was alive for the last time. */
const recoverCall = async (parts: RecoverParts, saved: SavedCall, at: number): Promise<void> => {
  const { store, wake, sayBye, onFailure } = parts
  const { callId } = saved
  const call = await readLost(parts, saved)
  const taken = await store.write(async (tables) => {
    if (!(await tables.runningCalls.remove(callId))) return false
    if (call) await closeLost(tables, parts.clock, { ...call, callId, at })
    return true
  })
  if (!taken || !call) return
  wake()
  for (const dialog of call.dialogs) void sayBye(dialog).catch((error: unknown) => onFailure(error, callId))
}

/** Undefined when nobody can read what was written. */
const readLost = async ({ files, onFailure }: RecoverParts, { callId, snapshot }: SavedCall): Promise<LostCall | undefined> => {
  try {
    const call = readSnapshot(snapshot)
    for (const recording of call.recordings) {
      const { accountId, id, at } = recording
      const sound = await files.measure({ accountId, id })
      if (sound) addSound(call.sides, recording, { id, at, ...sound, truncated: true })
    }
    return call
  } catch (error) {
    onFailure(error, callId)
    return undefined
  }
}

const closeLost = async (tables: Tables, clock: Clock, call: LostCall & { callId: string; at: number }): Promise<void> => {
  const { callId, startedAt, sides, meters, at } = call
  for (const meter of meters) await settleMeter(tables, clock, meter, at)
  await writeEntries(tables, { callId, startedAt, endedAt: at, end: serviceFailure }, sides)
  const session = await tables.sessions.findOpen(callId)
  if (session) await endLostSession(tables, session, clock.now())
}
