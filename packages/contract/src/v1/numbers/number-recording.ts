import { operation } from '../../operation.ts'
import { Input, Nullable, Output } from '../../values.ts'
import { Rule } from '../settings/recording-rule.ts'

export const numberRecordingOperations = {
  getNumberRecordingRule: operation({
    id: 'getNumberRecordingRule',
    method: 'GET',
    path: '/v1/numbers/{numberId}/recording',
    summary: 'What has to happen before a call with this number is recorded',
    auth: 'user',
    bearer: true,
    permission: 'CAN_MANAGE_PRIVACY',
    scopes: ['numbers:read'],
    status: 200,
    reply: Output({ rule: Nullable(Rule), effectiveRule: Rule }),
    errors: ['number_not_found'],
  }),
  setNumberRecordingRule: operation({
    id: 'setNumberRecordingRule',
    method: 'PUT',
    path: '/v1/numbers/{numberId}/recording',
    summary: "Set a rule for calls to or from this number, instead of the account's; null: the account's",
    auth: 'user',
    bearer: true,
    permission: 'CAN_MANAGE_PRIVACY',
    scopes: ['numbers:write'],
    body: Input({ rule: Nullable(Rule) }),
    status: 204,
    errors: ['number_not_found'],
  }),
}
