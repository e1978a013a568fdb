import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output, Timestamp } from '../values.ts'

/** Without its content: a mail may contain a secret link. */
export const DeadLetter = Output({
  id: Type.String(),
  accountId: Type.Optional(Type.String()),
  kind: Type.String(),
  attempts: Type.Integer(),
  lastError: Type.String(),
  createdAt: Timestamp,
})

const common = { auth: 'operator', bearer: true } as const

export const operatorOutboxOperations = {
  listDeadLetters: operation({
    id: 'listDeadLetters',
    method: 'GET',
    path: '/operator/v1/outbox',
    summary: 'Messages that could not be delivered and are no longer tried, oldest first',
    ...common,
    query: Input({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })) }),
    status: 200,
    reply: Items(DeadLetter),
  }),
  reviveDeadLetter: operation({
    id: 'reviveDeadLetter',
    method: 'POST',
    path: '/operator/v1/outbox/{messageId}/revival',
    summary: 'Try an undeliverable message again from the start',
    ...common,
    status: 204,
    errors: ['dead_letter_not_found'],
  }),
}
