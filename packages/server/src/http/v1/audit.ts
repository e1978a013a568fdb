import type { auditOperations } from '@offhook/contract/v1/audit.ts'
import type { Handlers } from '../context.ts'
import { toAuditElement } from '../operator/audit.ts'
import type { Parts } from '../parts.ts'

export const auditHandlers = ({ store }: Parts): Handlers<typeof auditOperations> => ({
  listAccountAudit: async ({ caller: { accountId }, query: { before, limit = 50 } }) => {
    const { audit } = store.read
    const end = before ?? (await audit.head(accountId)).seq + 1
    const afterSeq = Math.max(0, end - 1 - limit) // the chain has no gaps
    const entries = await audit.list(accountId, { afterSeq, limit: Math.min(limit, end - 1 - afterSeq) })
    return { items: entries.toReversed().map(toAuditElement) }
  },
})
