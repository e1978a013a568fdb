import { variablesShape } from '../../assistant/variables.ts'
import { operation } from '../../operation.ts'
import { Input, Output } from '../../values.ts'

const path = '/v1/numbers/{numberId}/variables'
const summary = 'defaults of the variables of assistants’ calls with this number; they have precedence over those of the flow'
const common = { path, auth: 'user', bearer: true, errors: ['number_not_found'] } as const

export const numberVariablesOperations = {
  getNumberVariables: operation({
    id: 'getNumberVariables',
    method: 'GET',
    summary: `The ${summary}`,
    permission: 'CAN_GET_FLOWS',
    scopes: ['numbers:read'],
    status: 200,
    reply: Output({ variables: variablesShape('Empty: there are none') }),
    ...common,
  }),
  setNumberVariables: operation({
    id: 'setNumberVariables',
    method: 'PUT',
    summary: `Set the ${summary}`,
    permission: 'CAN_CHANGE_FLOWS',
    scopes: ['numbers:write'],
    body: Input({ variables: variablesShape('All of them; empty: none. At most 16 KiB of JSON') }),
    status: 204,
    ...common,
  }),
}
