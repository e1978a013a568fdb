import { Problem } from '@offhook/contract/problem.ts'
import { retentionKinds, type RetentionKind } from '@offhook/contract/v1/settings/retention.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** The operator's limits in days; undefined: until erased. No account keeps data longer. */
export type RetentionLimits = Readonly<Record<RetentionKind, number | undefined>>

/** `recordingsDays` 0: unlimited. `timelineDays` undefined: unlimited; 0: none, except results on the day on which they are sent. */
export const retentionLimits = (recordingsDays: number, timelineDays: number | undefined): RetentionLimits => ({
  recordings: recordingsDays || undefined,
  voicemail: recordingsDays || undefined,
  faxes: recordingsDays || undefined,
  timelines: timelineDays,
  transcripts: timelineDays === undefined ? undefined : Math.max(1, timelineDays),
  history: undefined,
})

interface Period {
  days: number | null
  maxDays: number | null
  effectiveDays: number | null
}

export const retentionOf = async (tables: Tables, limits: RetentionLimits, accountId: string): Promise<Record<RetentionKind, Period>> => {
  const own = await tables.retentions.find(accountId)
  const periodOf = (kind: RetentionKind): Period => {
    const [days, maxDays] = [own[kind], limits[kind]]
    const effective = Math.min(days ?? Infinity, maxDays ?? Infinity)
    return { days: days ?? null, maxDays: maxDays ?? null, effectiveDays: effective === Infinity ? null : effective }
  }
  return Object.fromEntries(retentionKinds.map((kind) => [kind, periodOf(kind)])) as Record<RetentionKind, Period>
}

/** A missing kind stays unchanged; null or 0: the operator's limit. */
type RetentionChange = Readonly<Partial<Record<RetentionKind, number | null>>>

interface ChangeDeps {
  clock: Clock
  limits: RetentionLimits
}

export const changeRetention = async (
  tables: Tables,
  { clock, limits }: ChangeDeps,
  caller: UserCaller,
  change: RetentionChange,
): Promise<void> => {
  const { accountId } = caller
  for (const kind of retentionKinds) rejectLonger(kind, change[kind] ?? 0, limits[kind])
  await tables.accounts.lock(accountId)
  const own = await tables.retentions.find(accountId)
  const wanted = (kind: RetentionKind): number | undefined => (kind in change ? change[kind] || undefined : own[kind])
  const days = Object.fromEntries(retentionKinds.flatMap((kind) => (wanted(kind) === undefined ? [] : [[kind, wanted(kind)]])))
  await tables.retentions.set(accountId, days)
  await scheduleSweep(tables, accountId, clock.now())
  await auditByUser(tables, clock, caller, 'retention.change', accountId, days)
}

const rejectLonger = (kind: RetentionKind, days: number, maxDays: number | undefined): void => {
  if (maxDays !== undefined && days > maxDays) throw Problem.field(kind, `must be at most ${maxDays}: the operator keeps it no longer`)
}

export const sweepJob = 'retention.account'

/** One job per account; the same id reschedules it. */
export const scheduleSweep = (tables: Tables, accountId: string, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${sweepJob}:${accountId}`, kind: sweepJob, payload: { accountId }, dueAt })
