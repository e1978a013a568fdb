import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { longestWindowMs } from './attempts/attempt-limits.ts'
import { resetMailJob, sendResetMail } from './passwords/password-reset.ts'

export interface IdentityJobDeps {
  store: Store
  clock: Clock
  vault: Vault
  /** Something was put into the outbox. */
  wake: () => void
  publicUrl: () => string
}

/** What identity does when it was asked for: sending the mails of password resets. */
export const identityJobs = ({ store, clock, vault, wake, publicUrl }: IdentityJobDeps): Record<string, Task> => ({
  [resetMailJob]: async (payload) => {
    const { username } = payload as { username: string }
    await store.write((tables) => sendResetMail(tables, { clock, vault }, username, (nonce) => `${publicUrl()}/login/reset/${nonce}`))
    wake()
  },
})

/** Who invited somebody sees for a while that they did not come, and can send the link again. */
const invitationRetentionMs = 30 * 24 * 60 * 60 * 1000

/** Forgets what has expired. */
export const identitySweep: Recurring = {
  kind: 'identity.housekeeping',
  everyMs: 60 * 60 * 1000,
  run: async ({ tokens, oidcRecords, passwordResets, attempts, invitations, emailChanges }, now) => {
    await tokens.removeExpired(now)
    await oidcRecords.removeExpired(now)
    await passwordResets.removeExpired(now)
    await emailChanges.removeExpired(now)
    await invitations.removeExpired(now - invitationRetentionMs)
    await attempts.removeOlderThan(now - longestWindowMs)
  },
}
