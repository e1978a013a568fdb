import { Type } from 'typebox'
import { AuditEntry } from '../audit-entry.ts'
import { operation } from '../operation.ts'
import { Input, Items, Output } from '../values.ts'

const common = { auth: 'operator', bearer: true } as const

export const operatorAuditOperations = {
  listAudit: operation({
    id: 'listAudit',
    method: 'GET',
    path: '/operator/v1/audit',
    summary: 'The audit log of an account, or of the installation, oldest first; with `before` the newest first',
    ...common,
    query: Input({
      chain: Type.Optional(Type.String({ minLength: 1, maxLength: 64, default: 'operator', description: 'An account’s id, or operator' })),
      after: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'seq of the last entry of the page before' })),
      before: Type.Optional(
        Type.Integer({ minimum: 0, description: 'seq of the last entry that was read: those before it follow; 0: those before the next' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
    }),
    status: 200,
    reply: Items(AuditEntry),
  }),
  verifyAudit: operation({
    id: 'verifyAudit',
    method: 'GET',
    path: '/operator/v1/audit/verification',
    summary: 'Compute every hash of the audit log again; broken names the first entry of each chain that does not fit',
    ...common,
    status: 200,
    reply: Output({
      chains: Type.Integer(),
      entries: Type.Integer(),
      broken: Type.Array(Output({ chain: Type.String(), seq: Type.Integer() })),
    }),
  }),
}
