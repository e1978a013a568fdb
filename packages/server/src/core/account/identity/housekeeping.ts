import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { longestWindowMs } from './attempts/attempt-limits.ts'
import { clientBuckets, clientWindowMs } from './attempts/creation-limits.ts'
import { resetMailJob, sendResetMail } from './passwords/password-reset.ts'

interface IdentityJobDeps {
  store: Store
  clock: Clock
  vault: Vault
  /** Called after a message was put into the outbox. */
  wake: () => void
  publicUrl: () => string
}

/** Jobs of identity: mails for password resets. */
export const identityJobs = ({ store, clock, vault, wake, publicUrl }: IdentityJobDeps): Record<string, Task> => ({
  [resetMailJob]: async (payload) => {
    const { username } = payload as { username: string }
    await store.write((tables) => sendResetMail(tables, { clock, vault }, username, (nonce) => `${publicUrl()}/login/reset/${nonce}`))
    wake()
  },
})

/** Milliseconds that an expired invitation stays visible, so that the inviter can send it again. */
const invitationRetentionMs = 30 * 24 * 60 * 60 * 1000

/** Removes expired records. */
export const identitySweep: Recurring = {
  kind: 'identity.housekeeping',
  intervalMs: 60 * 60 * 1000,
  run: async ({ tokens, oidcRecords, passwordResets, attempts, invitations, emailChanges, identityProviders }, now) => {
    await tokens.removeExpired(now)
    await identityProviders.removeOldSessions()
    await oidcRecords.removeExpired(now)
    await passwordResets.removeExpired(now)
    await emailChanges.removeExpired(now)
    await invitations.removeExpired(now - invitationRetentionMs)
    await attempts.removeOlderThan(now - longestWindowMs, clientBuckets)
    await attempts.removeOlderThan(now - clientWindowMs)
  },
}
