import { Type } from 'typebox'
import { AuditEntry } from '../audit-entry.ts'
import { operation } from '../operation.ts'
import { Input, Items } from '../values.ts'

export const auditOperations = {
  listAccountAudit: operation({
    id: 'listAccountAudit',
    method: 'GET',
    path: '/v1/audit',
    summary: 'What was changed in the account, and by whom; the latest first',
    auth: 'user',
    bearer: true,
    scopes: ['all'],
    permission: 'CAN_GET_AUDIT',
    query: Input({
      before: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'seq of the last entry that was read: those before it follow',
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    }),
    status: 200,
    reply: Items(AuditEntry),
  }),
}
