import { Type } from 'typebox'
import { CalendarDate, HolderInput } from '../carrier/messages.ts'
import { operation } from '../operation.ts'
import { Input, Items, Output, Text } from '../values.ts'
import { portingDocumentOperations } from './portings/porting-documents.ts'

export const Porting = Output({
  id: Type.Integer(),
  portDate: Type.String({ description: 'YYYY-MM-DD; empty until the present carrier has agreed to a date' }),
  numbers: Type.Array(Output({ id: Type.String(), number: Type.String() })),
  status: Type.Integer({ description: '100, 150, 160, 170, 200, 250, 251, 252, 400, 450, 451, 500 or 600' }),
  revocable: Type.Boolean(),
  pending: Type.Boolean(),
  correctable: Type.Boolean({ description: 'Whether its data can be corrected now' }),
  cancelRequested: Type.Boolean({ description: 'It was revoked, and the present carrier has not agreed to that yet' }),
  correctionRequested: Type.Boolean({ description: 'Corrected data waits for the present carrier to give the agreement up' }),
  reason: Type.Optional(Type.String({ description: 'Why the present carrier refused the last time' })),
  consentExpires: Type.Optional(Type.String({ format: 'date-time', description: 'Until when the link works that the holder was mailed' })),
})

const email = Type.String({ minLength: 3, maxLength: 254, format: 'email', description: 'Where the holder is asked for consent' })

export const portingFields = {
  numbers: Type.Array(Text(40), { minItems: 1, maxItems: 100 }),
  holder: HolderInput,
  carrier: Type.Optional(Type.String({ maxLength: 12, description: 'Code of the present carrier, if known' })),
  portDate: Type.Optional(CalendarDate),
  email,
}

const common = { auth: 'user', bearer: true } as const

export const portingOperations = {
  ...portingDocumentOperations,
  listPortings: operation({
    id: 'listPortings',
    heavy: true,
    method: 'GET',
    path: '/v1/portings',
    summary: 'Portings of numbers to this account',
    ...common,
    scopes: ['portings:read'],
    permission: 'CAN_GET_PORTINGS',
    status: 200,
    reply: Items(Porting),
  }),
  getPorting: operation({
    id: 'getPorting',
    method: 'GET',
    path: '/v1/portings/{portingId}',
    summary: 'One porting',
    ...common,
    scopes: ['portings:read'],
    permission: 'CAN_GET_PORTINGS',
    status: 200,
    reply: Porting,
    errors: ['porting_not_found'],
  }),
  startPorting: operation({
    id: 'startPorting',
    method: 'POST',
    path: '/v1/portings',
    summary: 'Bring numbers from another carrier',
    ...common,
    scopes: ['portings:write'],
    permission: 'CAN_CREATE_PORTINGS',
    body: Input(portingFields),
    status: 201,
    reply: Porting,
    errors: ['number_invalid', 'already_exists'],
  }),
  correctPorting: operation({
    id: 'correctPorting',
    method: 'PUT',
    path: '/v1/portings/{portingId}',
    summary: 'Correct the data after a refusal, or give an agreement up in favour of a new one; the holder is asked for consent again',
    ...common,
    scopes: ['portings:write'],
    permission: 'CAN_CREATE_PORTINGS',
    body: Input({ holder: HolderInput, portDate: Type.Optional(CalendarDate), email: Type.Optional(email) }),
    status: 200,
    reply: Porting,
    errors: ['porting_not_found', 'conflict'],
  }),
  revokePorting: operation({
    id: 'revokePorting',
    method: 'DELETE',
    path: '/v1/portings/{portingId}',
    summary: 'Revoke a porting; once it is binding, the present carrier has to confirm',
    ...common,
    scopes: ['portings:write'],
    permission: 'CAN_REVOKE_PORTINGS',
    status: 200,
    reply: Items(Porting),
    errors: ['porting_not_found', 'porting_not_revocable'],
  }),
}
