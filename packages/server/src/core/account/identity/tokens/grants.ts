import { hashSecret } from './tokens.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** What the identity provider calls a user's consent to a client. */
export const grantModel = 'Grant'

/** Ends everything that came from one consent. The grant goes first: a transaction that holds it has not given out tokens yet. */
export const revokeGrant = async (tables: Tables, grantId: string): Promise<void> => {
  await tables.oidcRecords.remove(grantModel, hashSecret(grantId))
  await tables.oidcRecords.removeByGrant(grantId)
  await tables.tokens.removeByGrant(grantId)
}

/** Whether the grant stands, and goes on standing until this transaction ends. */
export const holdGrant = (tables: Tables, grantId: string): Promise<boolean> => tables.oidcRecords.hold(grantModel, hashSecret(grantId))

/** Logs a user out everywhere: tokens of every kind, browser sessions, consents; links to set a password end as well. */
export const revokeUser = async (tables: Tables, accountId: string, user: { id: string; subject: string }): Promise<void> => {
  await tables.oidcRecords.removeBySubject(user.subject)
  await tables.tokens.removeByUser(accountId, user.id)
  await tables.passwordResets.removeByUser(accountId, user.id)
}
