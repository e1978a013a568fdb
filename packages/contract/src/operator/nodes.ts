import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, Timestamp } from '../values.ts'

/** DRAINED: accepts no new calls and has none left. GONE: no heartbeat for a while. */
export const nodeStates = ['RUNNING', 'DRAINING', 'DRAINED', 'STOPPING', 'GONE'] as const

/** none: single process without a bus. missing: several processes without a bus. away: the bus is unreachable. */
export const busStates = ['none', 'connected', 'away', 'missing'] as const
export type BusState = (typeof busStates)[number]

export const ClusterNode = Output({
  id: Type.String({ description: 'One run of one process' }),
  name: Type.String({ description: 'What its machine calls itself' }),
  version: Type.String(),
  http: Type.String({ description: 'Where its REST interface listens' }),
  sip: Type.String({ description: 'Where phones and trunks reach it' }),
  region: Type.Optional(Type.String({ description: 'Where it runs (OFFHOOK_REGION)' })),
  self: Type.Boolean({ description: 'It is the one that answers' }),
  state: OneOf(nodeStates),
  bus: OneOf(busStates),
  startedAt: Timestamp,
  seenAt: Timestamp,
  calls: Type.Integer({ description: 'Running calls' }),
  sessions: Type.Integer({ description: 'Assistants at work' }),
  faxes: Type.Integer({ description: 'Faxes that are being sent' }),
  load: Output({
    processors: Type.Number({ description: 'How many processors it keeps busy' }),
    busy: Type.Number({ description: 'How much of the time its main thread is, from 0 to 1' }),
    memoryBytes: Type.Integer(),
  }),
})

const common = { auth: 'operator', bearer: true } as const

export const operatorNodeOperations = {
  listNodes: operation({
    id: 'listNodes',
    method: 'GET',
    path: '/operator/v1/nodes',
    summary: 'The processes that this installation consists of, and those that were lost within the last hour',
    ...common,
    status: 200,
    reply: Items(ClusterNode),
  }),
  drainNode: operation({
    id: 'drainNode',
    method: 'PUT',
    path: '/operator/v1/nodes/{nodeId}/drain',
    summary:
      'Whether a process is to take no new calls, except emergency calls; those that run go on. It hears of it within a few seconds, and forgets it when it ends',
    ...common,
    body: Input({ value: Type.Boolean() }),
    status: 204,
    errors: ['node_not_found', 'conflict'],
  }),
}
