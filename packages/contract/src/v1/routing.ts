import { Type, type Static } from 'typebox'
import { routingActions } from '../office-hours.ts'
import { operation } from '../operation.ts'
import { Input, OneOf, RequiredText } from '../values.ts'

export const routingTimes = ['OPEN', 'CLOSED'] as const
export const overflowCauses = ['BUSY', 'UNREACHABLE'] as const

const to = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'FLOW: a flow. VOICEMAIL: a voicemail; missing: the own one. FORWARD: a number or an extension. The others have none',
  }),
)

export const RoutingRule = Input({
  scheduleId: RequiredText(64),
  when: OneOf(routingTimes),
  action: OneOf(routingActions, { description: 'RING: as if there were no rules' }),
  to,
})
export type RoutingRule = Static<typeof RoutingRule>

export const Overflow = Input({
  after: Type.Union([
    Type.Integer({ minimum: 5, maximum: 120, description: 'Seconds: nobody has answered, or nobody will' }),
    OneOf(overflowCauses),
  ]),
  action: OneOf(['FLOW', 'VOICEMAIL', 'FORWARD', 'ANNOUNCE', 'REFUSE']),
  to,
})
export type Overflow = Static<typeof Overflow>

export const RoutingRules = Input({
  rules: Type.Array(RoutingRule, { maxItems: 20, description: 'The first that fits decides; none fits: as if there were no rules' }),
  overflow: Type.Array(Overflow, { maxItems: 3, description: 'When nobody takes the call: at most one of each kind' }),
})
export type RoutingRules = Static<typeof RoutingRules>

const shared = { auth: 'user', bearer: true, path: '/v1/routing/{target}' } as const

export const routingOperations = {
  getRouting: operation({
    ...shared,
    id: 'getRouting',
    method: 'GET',
    summary: 'What becomes of calls to a line, group, number or flow while it is closed and when nobody answers',
    scopes: ['phonelines:read', 'numbers:read'],
    status: 200,
    reply: RoutingRules,
    errors: ['target_not_found'],
  }),
  setRouting: operation({
    ...shared,
    id: 'setRouting',
    method: 'PUT',
    summary: 'Set what becomes of calls to a line, group, number or flow while it is closed and when nobody answers',
    scopes: ['phonelines:write', 'numbers:write'],
    body: RoutingRules,
    status: 204,
    errors: [
      'target_not_found',
      'schedule_not_found',
      'flow_not_found',
      'routing_loop',
      'number_invalid',
      'destination_blocked',
      'destination_closed',
    ],
  }),
  deleteRouting: operation({
    ...shared,
    id: 'deleteRouting',
    method: 'DELETE',
    summary: 'Remove the rules of a line, group, number or flow: calls go as if there were none',
    scopes: ['phonelines:write', 'numbers:write'],
    status: 204,
    errors: ['target_not_found'],
  }),
}
