import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Items, Output, Timestamp } from '../values.ts'

export const SmsRoute = Output({
  name: Type.String({ description: 'smpp or gateway' }),
  usable: Type.Boolean({ description: 'Whether messages to other networks can leave over it at this moment' }),
  reason: Type.String({ description: 'Why not; empty when it is usable' }),
  since: Timestamp,
  messagesUrl: Type.Optional(Type.String({ description: 'gateway: where it is to send messages for numbers here. Holds a secret.' })),
})

export const operatorSmsOperations = {
  listSmsRoutes: operation({
    id: 'listSmsRoutes',
    method: 'GET',
    path: '/operator/v1/sms/routes',
    summary: 'What carries SMS to other networks, the preferred first, and whether it works',
    auth: 'operator',
    bearer: true,
    status: 200,
    reply: Items(SmsRoute),
  }),
}
