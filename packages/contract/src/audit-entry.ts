import { Type } from 'typebox'
import { Output, Timestamp } from './values.ts'

/** One entry of an audit log, as accounts and operators see it. */
export const AuditEntry = Output({
  seq: Type.Integer(),
  at: Timestamp,
  actor: Type.String({ description: 'operator:<id>, user:<id> or the name of a part of the service' }),
  action: Type.String(),
  target: Type.String(),
  detail: Type.Unknown(),
  previousHash: Type.String(),
  hash: Type.String(),
})
