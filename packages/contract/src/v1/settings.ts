import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Nullable, Output } from '../values.ts'

const whitelistAbout = 'Phone lines (p) and groups (g) whose calls are told; null means all'
const PushUrl = Type.String({ maxLength: 2048, description: 'Absolute http or https address; empty for none' })

const shared = { auth: 'user', bearer: true, permission: 'CAN_USE_PUSH_API', errors: ['feature_not_booked'] } as const

export const settingsOperations = {
  getSvcio: operation({
    id: 'getSvcio',
    method: 'GET',
    path: '/v1/settings/svcio',
    summary: 'Where calls of the account are told to',
    ...shared,
    scopes: ['settings:read', 'settings:svcio:read'],
    status: 200,
    reply: Output({
      incomingUrl: Type.String(),
      outgoingUrl: Type.String(),
      log: Type.Boolean({ description: 'Requests and answers are kept for a look' }),
      whitelist: Nullable(Type.Array(Type.String(), { description: whitelistAbout })),
    }),
  }),
  setSvcio: operation({
    id: 'setSvcio',
    method: 'PUT',
    path: '/v1/settings/svcio',
    summary: 'Set where calls of the account are told to; log and whitelist stay as they are when left out',
    ...shared,
    scopes: ['settings:write', 'settings:svcio:write'],
    body: Input({
      incomingUrl: PushUrl,
      outgoingUrl: PushUrl,
      log: Type.Optional(Type.Boolean()),
      whitelist: Type.Optional(Nullable(Type.Array(Type.String({ maxLength: 12 }), { maxItems: 1000, description: whitelistAbout }))),
    }),
    status: 204,
  }),
}
