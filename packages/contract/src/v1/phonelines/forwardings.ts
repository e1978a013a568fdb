import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { DisplayName, Input, Items, Output, RequiredText } from '../../values.ts'

const destination = Type.String({
  description: 'A phone number, a phone line, group or voicemail of the account by its id, or the word voicemail for the own one',
})

const Forwarding = {
  timeout: Type.Integer({ minimum: 0, maximum: 120, description: 'Seconds of ringing before it takes over; 0 is at once' }),
  active: Type.Boolean(),
}

const ParallelForwarding = Output({ id: Type.String(), alias: Type.String(), destination: Type.String(), active: Type.Boolean() })

const reading = { auth: 'user', bearer: true, permission: 'CAN_GET_PHONELINES', status: 200 } as const
const changing = { auth: 'user', bearer: true, permission: 'CAN_CHANGE_PHONELINES' } as const

export const forwardingOperations = {
  listForwardings: operation({
    ...reading,
    id: 'listForwardings',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/forwardings',
    summary: 'Where calls go when nobody picks up, in this order',
    scopes: ['phonelines:read', 'phonelines:forwardings:read'],
    reply: Items(Output({ destination, ...Forwarding })),
    errors: ['phoneline_not_found'],
  }),
  replaceForwardings: operation({
    ...changing,
    id: 'replaceForwardings',
    method: 'PUT',
    path: '/v1/{userId}/phonelines/{phonelineId}/forwardings',
    summary: 'Replace the whole list of forwardings',
    scopes: ['phonelines:write', 'phonelines:forwardings:write'],
    body: Input({ forwardings: Type.Array(Input({ destination: RequiredText(40), ...Forwarding }), { maxItems: 10 }) }),
    status: 204,
    errors: ['phoneline_not_found', 'number_invalid', 'forwarding_loop', 'destination_blocked', 'destination_closed'],
  }),
  listParallelForwardings: operation({
    ...reading,
    id: 'listParallelForwardings',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/parallelforwardings',
    summary: 'What rings together with the devices of the line',
    scopes: ['phonelines:read', 'phonelines:parallelforwardings:read'],
    reply: Items(ParallelForwarding),
    errors: ['phoneline_not_found'],
  }),
  createParallelForwarding: operation({
    ...changing,
    id: 'createParallelForwarding',
    method: 'POST',
    path: '/v1/{userId}/phonelines/{phonelineId}/parallelforwardings',
    summary: 'Let something ring together with the devices of the line',
    scopes: ['phonelines:write', 'phonelines:parallelforwardings:write'],
    body: Input({ alias: DisplayName, destination: RequiredText(40), active: Type.Optional(Type.Boolean()) }),
    status: 201,
    reply: ParallelForwarding,
    errors: ['phoneline_not_found', 'number_invalid', 'forwarding_loop', 'destination_blocked', 'destination_closed', 'conflict'],
  }),
  getParallelForwarding: operation({
    ...reading,
    id: 'getParallelForwarding',
    method: 'GET',
    path: '/v1/{userId}/phonelines/{phonelineId}/parallelforwardings/{parallelForwardingId}',
    summary: 'One parallel forwarding',
    scopes: ['phonelines:read', 'phonelines:parallelforwardings:read'],
    reply: ParallelForwarding,
    errors: ['phoneline_not_found', 'not_found'],
  }),
  changeParallelForwarding: operation({
    ...changing,
    id: 'changeParallelForwarding',
    method: 'PUT',
    path: '/v1/{userId}/phonelines/{phonelineId}/parallelforwardings/{parallelForwardingId}',
    summary: 'Change a parallel forwarding; fields that are left out stay',
    scopes: ['phonelines:write', 'phonelines:parallelforwardings:write'],
    body: Input({
      alias: Type.Optional(DisplayName),
      destination: Type.Optional(RequiredText(40)),
      active: Type.Optional(Type.Boolean()),
    }),
    status: 204,
    errors: ['phoneline_not_found', 'not_found', 'number_invalid', 'forwarding_loop', 'destination_blocked', 'destination_closed'],
  }),
  deleteParallelForwarding: operation({
    ...changing,
    id: 'deleteParallelForwarding',
    method: 'DELETE',
    path: '/v1/{userId}/phonelines/{phonelineId}/parallelforwardings/{parallelForwardingId}',
    summary: 'Delete a parallel forwarding',
    scopes: ['phonelines:write', 'phonelines:parallelforwardings:write'],
    status: 204,
    errors: ['phoneline_not_found', 'not_found'],
  }),
}
