import { endLostSessionOf, endLostSessions } from '#core/assistant/session/write-end.ts'
import type { CallFacts } from '#core/kernel/ports/calls.ts'
import { Leases } from '#core/kernel/work/leases.ts'
import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import { Tasks } from '#core/kernel/work/worker.ts'
import { recoverFaxes } from '#core/messages/fax/recover-faxes.ts'
import { type RecoverDeps, suspectAll, recoverAll, type Survivor } from '#core/telephone/call/takeover/end-lost-call.ts'
import type { Settings } from '#settings/config.ts'
import { teachJournal } from './database/open-journal.ts'
import type { Platform } from './platform.ts'

/** Ends calls of a lost node; the caller provides `wake`. */
export type Recovery = Omit<RecoverDeps, 'wake'> & { survivor: Survivor }

/** Leases of this node's calls and sessions, and the recovery of those of a lost node. */
export interface OpenedLeases {
  leases: Leases
  recovery: Recovery
  idle(): Promise<void>
}

interface LeasesDeps {
  settings: Settings
  platform: Platform
  doubtMs: () => number
  sayBye: (dialog: SavedDialog) => Promise<void>
}

export const openLeases = ({ settings, platform, doubtMs, sayBye }: LeasesDeps): OpenedLeases => {
  const { store, journal, callClock: clock, recordingFiles: files, callSpans, log } = platform
  const tasks = new Tasks()
  const onFailure = (error: unknown, callId: string): void => log('call_lease_failed', { err: error, callId })
  const leases = new Leases({ store, clock, tasks, onFailure, shared: settings.DATABASE_URL !== undefined, doubtMs })
  const onEnded = callSpans && ((call: CallFacts): void => callSpans.lost(call))
  const left = { onEnded, alsoEnds: endLostSessionOf, leftovers: [endLostSessions, recoverFaxes] }
  teachJournal(journal, clock, leases.owner)
  const idle = async (): Promise<void> => {
    await tasks.idle()
    await journal?.idle()
  }
  const recovery = { store, clock, files, sayBye, onFailure, survivor: leases, storeSteadyMs: steadiness(platform), ...left }
  return { leases, recovery, idle }
}

/** Milliseconds since the database was last unreachable. */
const steadiness = ({ store: { reach }, evenClock }: Platform): (() => number) => {
  let backAt = -Infinity
  reach?.watch(() => (backAt = evenClock.elapsed()))
  return () => (reach && reach.awayMs > 0 ? 0 : evenClock.elapsed() - backAt)
}

/** Called at the start. With PostgreSQL another node may still own the calls of an earlier run: there the end of the lease decides. */
export const recoverLeases = ({ DATABASE_URL }: Settings, recovery: Recovery, wake: () => void): Promise<void> =>
  (DATABASE_URL === undefined ? recoverAll : suspectAll)({ ...recovery, wake }, recovery.survivor.owner)
