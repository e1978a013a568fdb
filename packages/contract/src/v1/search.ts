import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output } from '../values.ts'

export const foundKinds = ['CONTACT', 'NUMBER', 'FLOW', 'DEVICE', 'USER', 'CALL'] as const

export const FoundItem = Output({
  kind: OneOf(foundKinds),
  id: Type.String(),
  title: Type.String(),
  subtitle: Type.String(),
  path: Type.String({ description: 'Of the page in the console' }),
  number: Type.Optional(Type.String({ description: 'Where there is one to call' })),
  at: Type.Optional(Type.String({ description: 'CALL: when it began; ISO 8601, UTC' })),
})

export const searchOperations = {
  search: operation({
    id: 'search',
    heavy: true,
    method: 'GET',
    path: '/v1/search',
    summary: 'Contacts, numbers, flows, devices, users and calls by a few letters or digits, at most eight of each',
    description: 'Of each kind only what the token may read elsewhere.',
    auth: 'user',
    bearer: true,
    scopes: ['contacts:read', 'numbers:read', 'devices:read', 'users:read', 'history:read'],
    query: Input({ q: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 200,
    reply: Items(FoundItem),
  }),
}
