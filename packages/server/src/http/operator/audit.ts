import type { operatorAuditOperations } from '@offhook/contract/operator/audit.ts'
import { latestEntries } from '#core/kernel/audit/latest-entries.ts'
import { verifyAudit } from '#core/kernel/audit/verify-audit.ts'
import { toAuditElement } from '../handler/audit-element.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

export const operatorAuditHandlers = ({ store }: Pick<HandlerDeps, 'store'>): Handlers<typeof operatorAuditOperations> => ({
  listAudit: async ({ query: { chain = 'operator', after = 0, before, limit = 100 } }) => {
    const { audit } = store.read
    const entries =
      before === undefined
        ? await audit.list(chain, { afterSeq: after, limit })
        : await latestEntries(audit, chain, { limit, ...(before > 0 && { before }) })
    return { items: entries.map(toAuditElement) }
  },

  verifyAudit: () => verifyAudit(store.read.audit),
})
