import type { auditOperations } from '@offhook/contract/v1/audit.ts'
import { latestEntries } from '#core/kernel/audit/latest-entries.ts'
import { toAuditElement } from '../handler/audit-element.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const auditHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof auditOperations> => ({
  listAccountAudit: async ({ caller: { accountId }, query: { before, limit = 50 } }) => {
    const entries = await latestEntries(store.read.audit, accountId, { before, limit })
    return { items: entries.map(toAuditElement) }
  },
})
