import type { Clock } from '../ports/platform.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import type { Task } from './worker.ts'

/** Endless job at a fixed interval, shared by all nodes of an installation. */
export interface Recurring {
  kind: string
  intervalMs: number
  /** Runs in one transaction; returns `more` to continue in another one. */
  run: (tables: Tables, now: number) => Promise<unknown>
}

/** Same for work beyond tables. */
export interface RecurringWork extends Pick<Recurring, 'kind' | 'intervalMs'> {
  work: () => Promise<void>
}

/** Splits work that is too large for one transaction. */
export const more = Symbol('more')

export const recurringTasks = (store: Store, clock: Clock, list: readonly (Recurring | RecurringWork)[]): Record<string, Task> =>
  Object.fromEntries(list.map((one) => [one.kind, () => runAndContinue(store, clock, one)]))

const runAndContinue = async (store: Store, clock: Clock, one: Recurring | RecurringWork): Promise<void> => {
  await store.write((tables) => schedule(tables, one.kind, clock.now() + one.intervalMs)) // scheduled first, so that a failure cannot end the series
  if ('work' in one) return one.work()
  while ((await store.write((tables) => one.run(tables, clock.now()))) === more);
}

/** Call at every start: each job runs now and at its interval. */
export const startRecurring = (store: Store, clock: Clock, list: readonly (Recurring | RecurringWork)[]): Promise<void> =>
  store.write(async (tables) => {
    for (const { kind } of list) await schedule(tables, kind, clock.now())
  })

const schedule = (tables: Tables, kind: string, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: kind, kind, payload: {}, dueAt })

const day = 24 * 60 * 60 * 1000
/** Days in which a dead letter can be revived and a sent message looked up. */
const retentionDays = 30

export const outboxSweep: Recurring = {
  kind: 'outbox.sweep',
  intervalMs: day,
  run: ({ outbox }, now) => outbox.removeEndedBefore(now - retentionDays * day),
}
