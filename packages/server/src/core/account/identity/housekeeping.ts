import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { longestWindowMs } from './attempts/attempt-limits.ts'
import { resetMailJob, sendResetMail } from './passwords/password-reset.ts'

export interface IdentityJobParts {
  store: Store
  clock: Clock
  vault: Vault
  /** Something was put into the outbox. */
  wake: () => void
  publicUrl: () => string
}

/** What identity does when it was asked for: sending the mails of password resets. */
export const identityJobs = ({ store, clock, vault, wake, publicUrl }: IdentityJobParts): Record<string, Task> => ({
  [resetMailJob]: async (payload) => {
    const { username } = payload as { username: string }
    await store.write((tables) => sendResetMail(tables, { clock, vault }, username, (nonce) => `${publicUrl()}/login/reset/${nonce}`))
    wake()
  },
})

/** Forgets what has expired. */
export const identitySweep: Recurring = {
  kind: 'identity.housekeeping',
  everyMs: 60 * 60 * 1000,
  run: async ({ tokens, oidcRecords, passwordResets, attempts }, now) => {
    await tokens.removeExpired(now)
    await oidcRecords.removeExpired(now)
    await passwordResets.removeExpired(now)
    await attempts.removeOlderThan(now - longestWindowMs)
  },
}
