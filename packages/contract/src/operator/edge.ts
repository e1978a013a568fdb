import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input } from '../values.ts'

const common = { auth: 'operator', bearer: true, status: 200, text: true } as const

/** Configuration of the SIP proxy in front of all processes (deploy/kamailio), fetched as files. */
export const operatorEdgeOperations = {
  listEdgeCarriers: operation({
    id: 'listEdgeCarriers',
    method: 'GET',
    path: '/operator/v1/edge/carriers',
    summary: 'The addresses that calls of each active trunk come from, as the file of carriers of the edge',
    description: 'One line for each address or network: `1 192.0.2.10 32 0 <trunk ids>`, separated by commas when several trunks share it.',
    ...common,
  }),
  listEdgeProcesses: operation({
    id: 'listEdgeProcesses',
    method: 'GET',
    path: '/operator/v1/edge/processes',
    summary: 'The processes that are there, as the file of processes of the edge',
    description:
      'Two lines for each: group 1 is asked whether it takes calls, group 2 is used when none of them says so. With a region the first group has the processes of that region, the second one all.',
    query: Input({
      region: Type.Optional(
        Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$', description: 'Region of the edge, as in OFFHOOK_REGION of its processes' }),
      ),
    }),
    ...common,
  }),
}
