import { Type } from 'typebox'
import { AuditEntry } from '../audit-entry.ts'
import { operation } from '../operation.ts'
import { Input, Items, Nullable, OneOf, Output, Timestamp } from '../values.ts'

export const auditStreamKinds = ['WEBHOOK', 'SYSLOG', 'OTLP'] as const

const streamFields = {
  kind: OneOf(auditStreamKinds),
  url: Type.String({
    minLength: 1,
    maxLength: 1000,
    description:
      'WEBHOOK: http or https, signed as in Standard Webhooks. SYSLOG: tls://host:port or tcp://host:port (RFC 5424). OTLP: http or https, logs over OTLP/HTTP',
  }),
}

export const AuditStream = Output({
  id: Type.String(),
  ...streamFields,
  createdAt: Timestamp,
  deliveredSeq: Type.Integer({ description: 'seq of the last entry that was delivered' }),
  waiting: Type.Integer({ description: 'Entries that are not delivered yet' }),
  failure: Nullable(Output({ since: Timestamp, message: Type.String() }, { description: 'Since the last delivery succeeded; null: none' })),
})

const streaming = { auth: 'user', bearer: true, scopes: ['all'], permission: 'CAN_MANAGE_AUDIT_STREAMS' } as const

export const auditOperations = {
  listAuditStreams: operation({
    id: 'listAuditStreams',
    method: 'GET',
    path: '/v1/audit/streams',
    summary: 'Receivers of the audit log, and how far each has got',
    ...streaming,
    status: 200,
    reply: Items(AuditStream),
  }),
  createAuditStream: operation({
    id: 'createAuditStream',
    method: 'POST',
    path: '/v1/audit/streams',
    summary: 'Send the audit log to a webhook, a syslog server or an OpenTelemetry collector',
    description:
      'Entries are delivered in order, at least once; an unreachable receiver gets all of them later. A stream cannot be changed: delete it and create another one.',
    ...streaming,
    credentials: true,
    body: Input({
      ...streamFields,
      start: Type.Optional(OneOf(['NOW', 'BEGINNING'], { description: 'First entry; default NOW' })),
      headers: Type.Optional(
        Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }), Type.String({ maxLength: 2000, pattern: '^[ -~]*$' }), {
          maxProperties: 10,
          description: 'Of OTLP requests, such as Authorization. They are never shown',
        }),
      ),
    }),
    status: 200,
    reply: Output({
      ...AuditStream.properties,
      secret: Nullable(Type.String({ description: 'Of a webhook; shown only now' })),
    }),
    errors: ['audit_stream_limit_reached'],
  }),
  deleteAuditStream: operation({
    id: 'deleteAuditStream',
    method: 'DELETE',
    path: '/v1/audit/streams/{streamId}',
    summary: 'Send the audit log there no longer',
    ...streaming,
    status: 204,
    errors: ['audit_stream_not_found'],
  }),
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
