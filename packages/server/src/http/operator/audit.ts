import type { operatorAuditOperations } from '@offhook/contract/operator/audit.ts'
import { verifyAudit } from '../../core/audit/verify-audit.ts'
import type { AuditEntry } from '../../core/ports/store/audit.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorAuditHandlers = ({ store }: Parts): Handlers<typeof operatorAuditOperations> => ({
  listAudit: async ({ query: { chain = 'operator', after = 0, limit = 100 } }) => {
    const entries = await store.read.audit.list(chain, { afterSeq: after, limit })
    return { items: entries.map(toAuditElement) }
  },

  verifyAudit: () => verifyAudit(store.read.audit),
})

export const toAuditElement = (entry: AuditEntry) => ({ ...entry, at: new Date(entry.at).toISOString() })
