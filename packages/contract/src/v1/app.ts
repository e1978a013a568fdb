import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Enabled, Input, Items, Output } from '../values.ts'

export const AppEvent = Output({
  eventId: Type.String(),
  eventType: Type.String(),
  eventName: Type.String(),
  payload: Type.Record(Type.String(), Type.String()),
})

/** For our own applications; the specification marks none of them, but each needs an authenticated user. */
const internal = { auth: 'user', bearer: false, scopes: ['internal'] } as const

export const appOperations = {
  listAppEvents: operation({
    id: 'listAppEvents',
    heavy: true,
    method: 'GET',
    path: '/v1/app/events',
    summary: 'What the users of the account should be told',
    ...internal,
    status: 200,
    reply: Items(AppEvent),
  }),
  deleteAppEvent: operation({
    id: 'deleteAppEvent',
    method: 'DELETE',
    path: '/v1/app/events/{id}',
    summary: 'Dismiss an event; answers those that remain',
    ...internal,
    status: 200,
    reply: Items(AppEvent),
    errors: ['not_found'],
  }),
  getTacs: operation({
    id: 'getTacs',
    method: 'GET',
    path: '/v1/app/tacs',
    summary: 'Whether the terms and conditions are accepted',
    ...internal,
    status: 200,
    reply: Output({ accepted: Type.Boolean() }),
  }),
  setTacs: operation({
    id: 'setTacs',
    method: 'PUT',
    path: '/v1/app/tacs',
    summary: 'Accept the terms and conditions, or revoke that',
    ...internal,
    permission: 'CAN_ACCEPT_TACS',
    body: Input({ accepted: Type.Boolean() }),
    status: 204,
  }),
  getWelcome: operation({
    id: 'getWelcome',
    method: 'GET',
    path: '/v1/app/welcome',
    summary: 'Whether the welcome screen is shown',
    ...internal,
    status: 200,
    reply: Output({ enabled: Type.Boolean() }),
  }),
  setWelcome: operation({
    id: 'setWelcome',
    method: 'PUT',
    path: '/v1/app/welcome',
    summary: 'Show the welcome screen, or no longer',
    ...internal,
    body: Enabled,
    status: 204,
  }),
}
