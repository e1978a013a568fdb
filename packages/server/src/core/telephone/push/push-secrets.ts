import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { PushSecret } from '#core/kernel/ports/store/push/push-secrets.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { maxSecrets, secretOverlapMs } from '#core/kernel/webhook/secret-rotation.ts'
import { newWebhookSecret } from '#core/kernel/webhook/standard-webhooks.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

/** Those that sign at that moment, the newest first. */
export const pushSecretsInForce = async (tables: Tables, accountId: string, now: number): Promise<PushSecret[]> =>
  (await tables.pushSecrets.list(accountId)).filter(({ expiresAt = Infinity }) => expiresAt > now)

/** A new secret, and the only sight of its text. Older ones go on signing beside it for a while. */
export const addPushSecret = async (
  tables: Tables,
  { clock, vault }: { clock: Clock; vault: Vault },
  caller: UserCaller,
): Promise<{ kept: PushSecret; secret: string }> => {
  const { accountId } = caller
  const now = clock.now()
  const secret = newWebhookSecret()
  const kept = { id: randomUUID(), sealed: vault.seal(secret), createdAt: now, expiresAt: undefined }
  await tables.accounts.lock(accountId)
  await tables.pushSecrets.expireAll(accountId, now + secretOverlapMs)
  const older = await tables.pushSecrets.list(accountId)
  const spent = older.filter(({ expiresAt = Infinity }, place) => expiresAt <= now || place >= maxSecrets - 1)
  for (const { id } of spent) await tables.pushSecrets.remove(accountId, id)
  await tables.pushSecrets.insert(accountId, kept)
  await auditByUser(tables, clock, caller, 'push.secret.create', kept.id)
  return { kept, secret }
}

export const removePushSecret = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  const known = (await pushSecretsInForce(tables, caller.accountId, clock.now())).some((secret) => secret.id === id)
  if (!known || !(await tables.pushSecrets.remove(caller.accountId, id))) throw new Problem('secret_not_found')
  await auditByUser(tables, clock, caller, 'push.secret.delete', id)
}
