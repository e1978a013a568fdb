import type { Clock } from '../ports/clock.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import type { Vault } from '../ports/vault.ts'
import type { Task } from '../work/worker.ts'
import { longestWindowMs } from './attempt-limits.ts'
import { resetMailJob, sendResetMail } from './password-reset.ts'

const housekeepingJob = 'identity.housekeeping'
const everyMs = 60 * 60 * 1000

export interface IdentityJobParts {
  store: Store
  clock: Clock
  vault: Vault
  /** Something was put into the outbox. */
  wake: () => void
  publicUrl: () => string
}

/** What identity does by itself: forgetting what has expired, every hour, and sending the mails of password resets. */
export const identityJobs = ({ store, clock, vault, wake, publicUrl }: IdentityJobParts): Record<string, Task> => ({
  [housekeepingJob]: async () => {
    await scheduleIdentityJobs(store, clock, everyMs) // first of all, so that a failure cannot end the series
    await store.write((tables) => removeExpired(tables, clock.now()))
  },

  [resetMailJob]: async (payload) => {
    const { username } = payload as { username: string }
    await store.write((tables) => sendResetMail(tables, { clock, vault }, username, (nonce) => `${publicUrl()}/login/reset/${nonce}`))
    wake()
  },
})

/** The job that runs for ever; to be called at every start. All processes of an installation share it. */
export const scheduleIdentityJobs = (store: Store, clock: Clock, inMs = 0): Promise<void> =>
  store.write(({ jobs }) => jobs.schedule({ id: housekeepingJob, kind: housekeepingJob, payload: {}, dueAt: clock.now() + inMs }))

const removeExpired = async (tables: Tables, now: number): Promise<void> => {
  await tables.tokens.removeExpired(now)
  await tables.oidcRecords.removeExpired(now)
  await tables.passwordResets.removeExpired(now)
  await tables.attempts.removeOlderThan(now - longestWindowMs)
}
