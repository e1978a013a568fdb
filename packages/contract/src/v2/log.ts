import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { PushLogEntry } from '../push-log-entry.ts'
import { Input, Items, OneOf, Output, Timestamp } from '../values.ts'

const UndeliveredNotice = Output({
  id: Type.String({ description: 'The same as in the header webhook-id' }),
  event: OneOf(['answer', 'hangup']),
  callId: Type.String(),
  created: Timestamp,
  url: Type.String({ description: 'Without the name and password that it may hold' }),
  request: Type.String({ description: 'The form that could not be delivered' }),
  attempts: Type.Integer(),
  error: Type.String({ description: 'Why the last attempt failed' }),
})

const shared = { auth: 'user', bearer: true, permission: 'CAN_USE_PUSH_API', errors: ['feature_not_booked'] } as const

export const logOperations = {
  listWebhookLog: operation({
    id: 'listWebhookLog',
    method: 'GET',
    path: '/v2/log/webhooks',
    summary: 'What the account’s own software was asked and told about calls, and what came back, newest first; only while log is on',
    ...shared,
    scopes: ['settings:read', 'settings:svcio:read'],
    query: Input({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })) }),
    status: 200,
    reply: Items(PushLogEntry),
  }),
  listUndeliveredNotices: operation({
    id: 'listUndeliveredNotices',
    method: 'GET',
    path: '/v2/log/webhooks/undelivered',
    summary: 'Answer and hangup notifications of the last 30 days that were given up, newest first',
    ...shared,
    scopes: ['settings:read', 'settings:svcio:read'],
    query: Input({
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
    }),
    status: 200,
    reply: Output({ items: Type.Array(UndeliveredNotice), totalCount: Type.Integer() }),
  }),
  redeliverNotice: operation({
    id: 'redeliverNotice',
    method: 'POST',
    path: '/v2/log/webhooks/undelivered/{noticeId}/redelivery',
    summary: 'Try to deliver a notification again, as often as the first time',
    ...shared,
    scopes: ['settings:write', 'settings:svcio:write'],
    status: 204,
    errors: [...shared.errors, 'dead_letter_not_found'],
  }),
}
