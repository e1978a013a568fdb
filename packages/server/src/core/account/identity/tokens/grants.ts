import { hashSecret } from './tokens.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** The identity provider's model name of a user's consent to a client. */
export const grantModel = 'Grant'

/** Revokes everything issued for one consent. Removes the grant first: a transaction that holds it has not issued tokens yet. */
export const revokeGrant = async (tables: Tables, grantId: string): Promise<void> => {
  await tables.oidcRecords.remove(grantModel, hashSecret(grantId))
  await tables.oidcRecords.removeByGrant(grantId)
  await tables.tokens.removeByGrant(grantId)
}

/** Whether the grant exists; locks it until this transaction ends. */
export const holdGrant = (tables: Tables, grantId: string): Promise<boolean> => tables.oidcRecords.hold(grantModel, hashSecret(grantId))

/** Logs a user out everywhere: all tokens, browser sessions, consents, and links to set a password. */
export const revokeUser = async (tables: Tables, accountId: string, user: { id: string; subject: string }): Promise<void> => {
  await tables.oidcRecords.removeBySubject(user.subject)
  await tables.tokens.removeByUser(accountId, user.id)
  await tables.passwordResets.removeByUser(accountId, user.id)
}
