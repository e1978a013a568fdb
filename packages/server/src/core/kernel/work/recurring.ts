import type { Clock } from '../ports/clock.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import type { Task } from './worker.ts'

/** A job that runs for ever, at a fixed interval. All processes of an installation share it. */
export interface Recurring {
  kind: string
  everyMs: number
  /** In one transaction; `more`: there is more to do, which is done in another one. */
  run: (tables: Tables, now: number) => Promise<unknown>
}

/** The same for what is not only about tables. */
export interface RecurringWork extends Pick<Recurring, 'kind' | 'everyMs'> {
  work: () => Promise<void>
}

/** For work that would be too much for one transaction. */
export const more = Symbol('more')

export const recurringTasks = (store: Store, clock: Clock, list: readonly (Recurring | RecurringWork)[]): Record<string, Task> =>
  Object.fromEntries(list.map((one) => [one.kind, () => runAndContinue(store, clock, one)]))

const runAndContinue = async (store: Store, clock: Clock, one: Recurring | RecurringWork): Promise<void> => {
  await store.write((tables) => schedule(tables, one.kind, clock.now() + one.everyMs)) // first of all, so that a failure cannot end the series
  if ('work' in one) return one.work()
  while ((await store.write((tables) => one.run(tables, clock.now()))) === more);
}

/** To be called at every start: each runs now, and from then on. */
export const startRecurring = (store: Store, clock: Clock, list: readonly (Recurring | RecurringWork)[]): Promise<void> =>
  store.write(async (tables) => {
    for (const { kind } of list) await schedule(tables, kind, clock.now())
  })

const schedule = (tables: Tables, kind: string, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: kind, kind, payload: {}, dueAt })
