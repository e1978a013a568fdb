import { retentionKinds, type RetentionKind } from '@offhook/contract/v1/settings/retention.ts'
import { scheduleSweep, sweepJob } from '#core/account/retention/retention.ts'
import { eraseResultsBefore } from '#core/assistant/results/deliver-result.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { eraseEntriesBefore } from '#core/messages/erase-entry.ts'
import { eraseFaxesBefore } from '#core/messages/fax/erasing/fax-sweep.ts'
import { eraseRecordingsBefore, eraseTextsBefore } from '#core/telephone/recordings/recording-sweep.ts'
import { eraseTimelinesBefore, eraseWordsBefore } from '#core/telephone/timeline/timeline-sweep.ts'

const hour = 3_600_000
const day = 24 * hour
/** Maximum transactions per run; then other jobs and writers go first for a while. */
const maxTransactions = 20
const pauseMs = 1_000
const accountsAtOnce = 100

interface SweepDeps {
  store: Store
  clock: Clock
}

/** Yields after each transaction. */
type Sweep = (deps: SweepDeps, accountId: string, before: number) => AsyncGenerator<void>

const sweeps: Record<RetentionKind, Sweep> = {
  recordings: (deps, accountId, before) => eraseRecordingsBefore(deps, accountId, 'CALL', before),
  voicemail: async function* (deps, accountId, before) {
    yield* eraseRecordingsBefore(deps, accountId, 'VOICEMAIL', before)
    yield* eraseTextsBefore(deps, accountId, before, 'voicemail')
  },
  faxes: eraseFaxesBefore,
  timelines: eraseTimelinesBefore,
  transcripts: async function* (deps, accountId, before) {
    yield* eraseResultsBefore(deps, accountId, before)
    yield* eraseWordsBefore(deps, accountId, before)
    yield* eraseTextsBefore(deps, accountId, before, 'transcripts')
  },
  history: eraseEntriesBefore,
}

/** Schedules a job for each account with own limits; the operator's limits have separate sweeps. */
export const retentionSweep = ({ store, clock }: SweepDeps): RecurringWork => ({
  kind: 'retention.sweep',
  intervalMs: hour,
  async work() {
    let after = ''
    for (;;) {
      const accountIds = await store.read.retentions.listAccounts(after, accountsAtOnce)
      await store.write(async (tables) => {
        for (const accountId of accountIds) await scheduleSweep(tables, accountId, clock.now())
      })
      const last = accountIds.at(-1)
      if (last === undefined || accountIds.length < accountsAtOnce) return
      after = last
    }
  },
})

export const retentionJobs = (deps: SweepDeps & { wake: () => void }): Record<string, Task> => ({
  [sweepJob]: async (payload) => {
    const { accountId } = payload as { accountId: string }
    if (!(await sweepForOneTurn(deps, accountId)))
      await deps.store.write((tables) => scheduleSweep(tables, accountId, deps.clock.now() + pauseMs))
    // Files are erased by jobs.
    deps.wake()
  },
})

/** False: the run is over, and there may be more to erase. */
const sweepForOneTurn = async (deps: SweepDeps, accountId: string): Promise<boolean> => {
  const days = await deps.store.read.retentions.find(accountId)
  let left = maxTransactions
  for (const kind of retentionKinds) {
    const kept = days[kind]
    if (kept === undefined) continue
    for await (const _ of sweeps[kind](deps, accountId, deps.clock.now() - kept * day)) if (--left === 0) return false
  }
  return true
}
