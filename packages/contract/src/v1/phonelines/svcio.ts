import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { PushLogEntry } from '../../push-log-entry.ts'
import { Input, Items, Output, Text } from '../../values.ts'

const url = Text(2048)

const line = { auth: 'user', bearer: true, permission: 'CAN_USE_PHONELINE_SVCIO' } as const

export const phonelineSvcioOperations = {
  getPhonelineSvcio: operation({
    ...line,
    id: 'getPhonelineSvcio',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/svcio',
    summary: 'Where calls of this line are told to',
    scopes: ['phonelines:read', 'phonelines:svcio:read'],
    status: 200,
    reply: Output({ incomingUrl: Type.String(), outgoingUrl: Type.String() }),
    errors: ['feature_not_booked', 'phoneline_not_found'],
  }),
  setPhonelineSvcio: operation({
    ...line,
    id: 'setPhonelineSvcio',
    method: 'PUT',
    path: '/v1/{userId}/phonelines/{phonelineId}/svcio',
    summary: 'Set where calls of this line are told to; an empty text clears an address',
    scopes: ['phonelines:write', 'phonelines:svcio:write'],
    body: Input({ incomingUrl: url, outgoingUrl: url }),
    status: 204,
    errors: ['feature_not_booked', 'phoneline_not_found'],
  }),
  listPhonelineSvcioLog: operation({
    ...line,
    id: 'listPhonelineSvcioLog',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/svcio/log',
    summary: 'What was told to the line’s own addresses and what came back, newest first; only while log of the account is on',
    scopes: ['phonelines:svcio:log:read'],
    status: 200,
    reply: Items(PushLogEntry),
    errors: ['feature_not_booked', 'phoneline_not_found'],
  }),
}
