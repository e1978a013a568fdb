import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { FlowSecret, FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { maxSecrets, secretOverlapMs, newWebhookSecret } from '#core/kernel/webhook/standard-webhooks.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { lockFlow } from './lock-flow.ts'

/** Secrets that sign at that time, newest first. */
export const secretsInForce = ({ secrets = [] }: FlowSettings, now: number): FlowSecret[] =>
  secrets.filter(({ expiresAt = Infinity }) => expiresAt > now)

/** Creates a secret; its text is shown only here. */
export const newFlowSecret = (vault: Vault, now: number): { kept: FlowSecret; secret: string } => {
  const secret = newWebhookSecret()
  return { kept: { id: randomUUID(), sealed: vault.seal(secret), createdAt: now }, secret }
}

export const addFlowSecret = async (
  tables: Tables,
  { clock, vault }: { clock: Clock; vault: Vault },
  caller: UserCaller,
  flowId: string,
): Promise<{ kept: FlowSecret; secret: string }> => {
  const flow = await lockFlow(tables, caller.accountId, flowId)
  const now = clock.now()
  const created = newFlowSecret(vault, now)
  const older = secretsInForce(flow.settings, now).map((one) => ({ ...one, expiresAt: one.expiresAt ?? now + secretOverlapMs }))
  const secrets = [created.kept, ...older].slice(0, maxSecrets)
  await tables.flows.update(caller.accountId, { ...flow, settings: { ...flow.settings, secrets } }, now)
  await auditByUser(tables, clock, caller, 'flow.secret.create', flowId)
  return created
}

export const removeFlowSecret = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  flowId: string,
  secretId: string,
): Promise<void> => {
  const flow = await lockFlow(tables, caller.accountId, flowId)
  const now = clock.now()
  const present = secretsInForce(flow.settings, now)
  const secrets = present.filter(({ id }) => id !== secretId)
  if (secrets.length === present.length) throw new Problem('secret_not_found')
  await tables.flows.update(caller.accountId, { ...flow, settings: { ...flow.settings, secrets } }, now)
  await auditByUser(tables, clock, caller, 'flow.secret.delete', flowId)
}
