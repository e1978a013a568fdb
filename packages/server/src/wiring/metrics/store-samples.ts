import type { QueueFigures } from '#core/kernel/ports/store/work/due-queue.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { Platform } from '../platform.ts'

/** Whether the database is there. */
export const storeSamples =
  ({ store: { reach }, storage, journal }: Platform) =>
  (): Sample[] => [
    { name: 'offhook_store_up', value: Number((reach?.awayMs ?? 0) === 0) },
    { name: 'offhook_store_full', value: Number(storage.full) },
    ...(journal ? [{ name: 'offhook_journal_entries' as const, value: journal.size }] : []),
  ]

/** What waits in it, in the whole installation. */
export const queueSamples =
  ({ store, clock, wallClock }: Platform) =>
  async (): Promise<Sample[]> => {
    if ((store.reach?.awayMs ?? 0) > 0) return []
    const { outbox, jobs, devices } = store.read
    const [messages, work] = [await outbox.figures(), await jobs.figures()]
    return [
      { name: 'offhook_registrations', value: await devices.countRegistrations(wallClock.now()) },
      ...messages.flatMap((kind) => messageSamples(kind, clock.now())),
      ...work.map(({ kind, pending }): Sample => ({ name: 'offhook_jobs_pending', labels: { kind }, value: pending })),
      { name: 'offhook_jobs_overdue_seconds', value: Math.max(0, ...work.map(({ dueAt }) => secondsSince(dueAt, clock.now()))) },
    ]
  }

const messageSamples = ({ kind, pending, oldestAt, dueAt, dead }: QueueFigures, now: number): Sample[] => [
  { name: 'offhook_outbox_pending', labels: { kind }, value: pending },
  { name: 'offhook_outbox_oldest_seconds', labels: { kind }, value: secondsSince(oldestAt, now) },
  { name: 'offhook_outbox_overdue_seconds', labels: { kind }, value: secondsSince(dueAt, now) },
  { name: 'offhook_outbox_dead', labels: { kind }, value: dead },
]

const secondsSince = (at: number | undefined, now: number): number => (at === undefined ? 0 : Math.max(0, now - at) / 1000)
