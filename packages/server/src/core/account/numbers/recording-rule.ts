import { Problem } from '@offhook/contract/problem.ts'
import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export const setRecordingRule = async (tables: Tables, clock: Clock, caller: UserCaller, rule: RecordingRule): Promise<void> => {
  const { accountId } = caller
  await tables.recordingRules.set(accountId, rule === 'none' ? undefined : rule)
  await auditByUser(tables, clock, caller, 'recording.rule', accountId, { rule })
}

interface NumberRule {
  numberId: string
  /** Null: the account's rule. */
  rule: RecordingRule | null
}

export const setNumberRecordingRule = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { numberId, rule }: NumberRule,
): Promise<void> => {
  const { accountId } = caller
  if (!(await tables.numbers.find(accountId, numberId))) throw new Problem('number_not_found')
  await tables.recordingRules.set(accountId, rule ?? undefined, numberId)
  await auditByUser(tables, clock, caller, 'recording.rule', numberId, { rule })
}

export const numberRecordingRule = async (
  tables: Tables,
  accountId: string,
  numberId: string,
): Promise<{ rule: RecordingRule | null; effectiveRule: RecordingRule }> => {
  const number = await tables.numbers.find(accountId, numberId)
  if (!number) throw new Problem('number_not_found')
  const rule = await tables.recordingRules.find(accountId, numberId)
  return { rule: rule ?? null, effectiveRule: rule ?? (await tables.recordingRules.find(accountId)) ?? 'none' }
}
