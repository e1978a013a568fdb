import { Type } from 'typebox'
import { operation } from '../../operation.ts'
import { Input, OneOf, Output } from '../../values.ts'

/**
 * `none`: recording starts without an announcement, unless the request asks for one. `announce`: all parties hear an announcement first.
 * `consent`: the other parties are asked, and without their consent nothing is recorded.
 */
export const recordingRules = ['none', 'announce', 'consent'] as const
export type RecordingRule = (typeof recordingRules)[number]

const about = 'none: as the request wants it; announce: all parties hear it first; consent: the other parties agree first (key 1)'
export const Rule = OneOf(recordingRules, { description: about })

export const recordingRuleOperations = {
  getRecordingRule: operation({
    id: 'getRecordingRule',
    method: 'GET',
    path: '/v1/settings/recording',
    summary: 'What has to happen before a call of the account is recorded, and the numbers with a rule of their own',
    auth: 'user',
    bearer: true,
    permission: 'CAN_MANAGE_PRIVACY',
    scopes: ['settings:read'],
    status: 200,
    reply: Output({
      rule: Rule,
      numbers: Type.Array(Output({ numberId: Type.String(), number: Type.String({ description: 'E.164' }), rule: Rule })),
    }),
  }),
  setRecordingRule: operation({
    id: 'setRecordingRule',
    method: 'PUT',
    path: '/v1/settings/recording',
    summary: 'Set what has to happen before a call of the account is recorded, however the recording begins',
    auth: 'user',
    bearer: true,
    permission: 'CAN_MANAGE_PRIVACY',
    scopes: ['settings:write'],
    body: Input({ rule: Rule }),
    status: 204,
  }),
}
