import { createHash } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { lockFlow } from '../flows/lock-flow.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { AssistantVersion, Rollout } from '#core/kernel/ports/store/assistant.ts'
import { requireKnownPlaceholders, variableNames } from './placeholders.ts'
import { openSecrets } from './secrets.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Publishes the draft as a version; with `stable` it takes all calls from now on. `tested`: the revision that was tested before. */
export const publishAssistant = async (
  tables: Tables,
  { clock, vault }: { clock: Clock; vault: Vault },
  caller: UserCaller,
  flowId: string,
  { note, stable = true }: { note?: string; stable?: boolean },
  tested?: number,
): Promise<AssistantVersion> => {
  const { accountId, userId } = caller
  const flow = await lockFlow(tables, accountId, flowId)
  const draft = await tables.assistants.draft(accountId, flowId)
  if (!draft) throw new Problem('assistant_not_set')
  if (tested !== undefined && tested !== draft.revision) throw new Problem('conflict', 'The assistant was changed while it was tested.')
  requireKnownPlaceholders(openSecrets(vault, draft.settings), await variableNames(tables, flow, accountId))
  const [newest] = await tables.assistants.versions(accountId, flowId)
  const published = { version: (newest?.version ?? 0) + 1, createdAt: clock.now(), createdBy: userId, note: note?.trim() || undefined }
  await tables.assistants.insertVersion(accountId, flowId, published, draft.settings)
  const present = await tables.assistants.rollout(accountId, flowId)
  // The first version is always stable; otherwise calls would get none.
  if (stable || !present) await tables.assistants.putRollout(accountId, flowId, onlyStable(published.version, present?.stable))
  await auditByUser(tables, clock, caller, 'assistant.publish', flowId, { version: published.version, stable })
  return { ...published, calls: 0 }
}

const onlyStable = (stable: number, previous: number | undefined): Rollout => ({
  stable,
  candidate: undefined,
  percent: 0,
  by: 'caller',
  previous: previous === stable ? undefined : previous,
})

interface RolloutInput {
  stable: number
  candidate?: number
  percent?: number
  by?: Rollout['by']
}

/** Running calls keep their version. */
export const changeRollout = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  flowId: string,
  input: RolloutInput,
): Promise<void> => {
  const { accountId } = caller
  await lockFlow(tables, accountId, flowId)
  const { stable, candidate, percent = 0, by = 'caller' } = input
  if (percent > 0 && candidate === undefined) throw Problem.field('candidate', 'is required: it gets the calls that percent says')
  for (const version of candidate === undefined ? [stable] : [stable, candidate])
    if (!(await tables.assistants.version(accountId, flowId, version))) throw new Problem('assistant_version_not_found')
  const present = await tables.assistants.rollout(accountId, flowId)
  const previous = present && present.stable !== stable ? present.stable : present?.previous
  await tables.assistants.putRollout(accountId, flowId, { stable, candidate, percent, by, previous })
  await auditByUser(tables, clock, caller, 'assistant.rollout', flowId, { stable, candidate, percent, by })
}

/** Makes the previous stable version the only one again. */
export const rollBack = async (tables: Tables, clock: Clock, caller: UserCaller, flowId: string): Promise<number> => {
  const { accountId } = caller
  await lockFlow(tables, accountId, flowId)
  const present = await tables.assistants.rollout(accountId, flowId)
  if (present?.previous === undefined) throw new Problem('conflict', 'There is no earlier stable version.')
  await tables.assistants.putRollout(accountId, flowId, onlyStable(present.previous, present.stable))
  await auditByUser(tables, clock, caller, 'assistant.rollback', flowId, { stable: present.previous })
  return present.previous
}

/** Chooses the version of a call. Callers without a number are distinguished by call. */
export const chooseVersion = (
  { stable, candidate, percent, by }: Rollout,
  flowId: string,
  { callId, caller }: { callId: string; caller: string | undefined },
): number => {
  if (candidate === undefined || percent === 0) return stable
  const key = by === 'caller' && caller !== undefined ? caller : callId
  const place = createHash('sha256').update(`${flowId}\n${key}`).digest().readUInt32BE(0) % 100
  return place < percent ? candidate : stable
}
