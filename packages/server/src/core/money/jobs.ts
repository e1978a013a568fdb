import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/index.ts'
import type { Task } from '../work/worker.ts'

const reapEveryMs = 30_000
const reapAtOnce = 100
const sweepEveryMs = 60 * 60 * 1000
const repliesKeptMs = 24 * 60 * 60 * 1000

/** What happens to money by itself, under the names of the jobs. */
export const moneyJobs = (store: Store, clock: Clock): Record<string, Task> => {
  /** The next time is set before the work, so that a failure cannot end the series. */
  const every = (kind: string, ms: number, work: () => Promise<void>): [string, Task] => [
    kind,
    async () => {
      await store.write(({ jobs }) => jobs.schedule({ id: kind, kind, payload: {}, dueAt: clock.now() + ms }))
      await work()
    },
  ]
  return Object.fromEntries([
    every('money.reap', reapEveryMs, () => reapReservations(store, clock)),
    every('money.forget-replies', sweepEveryMs, async () => {
      await store.write(({ idempotency }) => idempotency.removeOlderThan(clock.now() - repliesKeptMs))
    }),
  ])
}

/** To be called at every start; a job that is already waiting is only put to now. */
export const scheduleMoneyJobs = (store: Store, clock: Clock): Promise<void> =>
  store.write(async ({ jobs }) => {
    for (const kind of ['money.reap', 'money.forget-replies']) await jobs.schedule({ id: kind, kind, payload: {}, dueAt: clock.now() })
  })

/** Gives back what sessions hold that ended without a word: their process died. Each in a transaction of its own. */
export const reapReservations = async (store: Store, clock: Clock): Promise<void> => {
  for (;;) {
    const expired = await store.read.balances.listExpired(clock.now(), reapAtOnce)
    for (const { accountId, sessionId } of expired) await store.write(({ balances }) => balances.release(accountId, sessionId))
    if (expired.length < reapAtOnce) return
  }
}
