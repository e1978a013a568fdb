import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Nullable, OneOf, Output, RequiredText, Text, Timestamp } from '../values.ts'

export const transports = ['UDP', 'TCP', 'TLS'] as const
/** Number format of the carrier: +4930…, 4930…, 0049 30… or, inside its country, 030…. */
export const numberFormats = ['PLUS', 'DIGITS', 'DOUBLE_ZERO', 'NATIONAL'] as const
export const trunkCodecs = ['PCMA', 'PCMU', 'G722'] as const

const Host = Type.String({ minLength: 1, maxLength: 253, description: 'Host name or address of the carrier’s SIP server' })
const Port = Type.Integer({ minimum: 1, maximum: 65_535, description: 'Default: 5060, or 5061 for TLS' })

const OutboundProxy = Type.String({
  maxLength: 280,
  description:
    'Everything to the carrier goes through this SIP proxy, over UDP unless ;transport= says otherwise: 10.0.0.1:5060 is the edge of several machines. Empty: straight to the host',
})

const TrunkWish = {
  name: RequiredText(100),
  host: Host,
  port: Type.Optional(Port),
  transport: Type.Optional(OneOf(transports)),
  outboundProxy: Type.Optional(OutboundProxy),
  username: Type.Optional(Text(128)),
  realm: Type.Optional(Type.String({ maxLength: 253, description: 'Challenges of any other realm are not answered; empty: the host' })),
  register: Type.Optional(Type.Boolean({ description: 'Whether we log in at the carrier; it then finds us by that' })),
  registerSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 86_400 })),
  sourceAddresses: Type.Optional(
    Type.Array(Text(64), { maxItems: 64, description: 'Addresses or networks (CIDR) that calls of this carrier come from' }),
  ),
  mediaAddresses: Type.Optional(
    Type.Array(Text(64), {
      maxItems: 64,
      description: 'Addresses or networks (CIDR) that its sound may come from, besides those that its SDP and its messages name',
    }),
  ),
  numberFormat: Type.Optional(OneOf(numberFormats)),
  defaultNumber: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Who is meant when the carrier dials our user name, such as +4930123456; empty: the user name itself, if it is a number',
    }),
  ),
  codecs: Type.Optional(Type.Array(OneOf(trunkCodecs), { minItems: 1, maxItems: 3, uniqueItems: true, description: 'Best first' })),
  maxCalls: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'At the same time, over all processes; of calls that come to several of them within milliseconds a few more may pass',
    }),
  ),
  strictMaxCalls: Type.Optional(
    Type.Boolean({
      description:
        'Never one more than maxCalls: each process has an equal share of them, and refuses calls above it although others have room',
    }),
  ),
  callsPerSecond: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Calls started in one second; incoming ones may come in bursts of ten times that',
    }),
  ),
  emergencyLocation: Type.Optional(
    Type.Boolean({
      description:
        'Emergency calls carry the address of the caller: PIDF-LO in the body, Geolocation in the header (RFC 6442). Only where the carrier asks for it',
    }),
  ),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, description: 'The lowest is tried first' })),
  active: Type.Optional(Type.Boolean()),
}

const TrunkState = Output({
  registered: Type.Boolean({ description: 'Logged in at the carrier; false for trunks that do not register' }),
  usable: Type.Boolean({ description: 'It answers and, if it is to be registered, it is' }),
  calls: Type.Integer({ description: 'Running calls in both directions' }),
  since: Timestamp,
  registeredBy: Type.Optional(
    Type.String({ description: 'The process that logs in at the carrier, one at a time; see the list of nodes' }),
  ),
  problem: Type.Optional(Type.String({ description: 'Why the carrier refuses to let us log in or call, in its words: 403 Forbidden' })),
})

export const Trunk = Output({
  id: Type.String(),
  name: Type.String(),
  host: Type.String(),
  port: Type.Integer(),
  transport: OneOf(transports),
  outboundProxy: Type.String(),
  username: Type.String(),
  passwordSet: Type.Boolean(),
  realm: Type.String(),
  register: Type.Boolean(),
  registerSeconds: Type.Integer(),
  sourceAddresses: Type.Array(Type.String()),
  mediaAddresses: Type.Array(Type.String()),
  numberFormat: OneOf(numberFormats),
  defaultNumber: Type.String(),
  codecs: Type.Array(OneOf(trunkCodecs)),
  maxCalls: Type.Integer(),
  strictMaxCalls: Type.Boolean(),
  callsPerSecond: Type.Integer(),
  emergencyLocation: Type.Boolean(),
  priority: Type.Integer(),
  active: Type.Boolean(),
  state: Type.Optional(TrunkState),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

const common = { auth: 'operator', bearer: true } as const

const TrunkQuality = Output({
  trunkId: Type.String(),
  incoming: Type.Integer(),
  outgoing: Type.Integer({ description: 'Also those that the carrier refused' }),
  answered: Type.Integer(),
  failed: Type.Integer({ description: 'By a fault of the carrier or of the way to it' }),
  lossPercent: Type.Optional(Type.Number({ description: 'Of the packets that should have come from the carrier' })),
  jitterMs: Type.Optional(Type.Number({ description: 'The mean; a call counts with its packets' })),
})

export const operatorTrunkOperations = {
  readTrunkQuality: operation({
    id: 'readTrunkQuality',
    method: 'GET',
    path: '/operator/v1/trunks/quality',
    summary: 'How calls over each trunk went that are over, in all processes; trunks without calls are missing',
    ...common,
    query: Input({ minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1440, default: 1440 })) }),
    status: 200,
    reply: Items(TrunkQuality),
  }),
  listTrunks: operation({
    id: 'listTrunks',
    method: 'GET',
    path: '/operator/v1/trunks',
    summary: 'All SIP trunks, the preferred first',
    ...common,
    status: 200,
    reply: Items(Trunk),
  }),
  createTrunk: operation({
    id: 'createTrunk',
    method: 'POST',
    path: '/operator/v1/trunks',
    summary: 'Add a carrier’s SIP trunk',
    ...common,
    body: Input({ ...TrunkWish, password: Type.Optional(RequiredText(256)) }),
    status: 201,
    reply: Trunk,
  }),
  readTrunk: operation({
    id: 'readTrunk',
    method: 'GET',
    path: '/operator/v1/trunks/{trunkId}',
    summary: 'One SIP trunk',
    ...common,
    status: 200,
    reply: Trunk,
    errors: ['trunk_not_found'],
  }),
  updateTrunk: operation({
    id: 'updateTrunk',
    method: 'PUT',
    path: '/operator/v1/trunks/{trunkId}',
    summary: 'Replace the settings of a trunk; a password that is left out stays, null removes it',
    ...common,
    body: Input({ ...TrunkWish, password: Type.Optional(Nullable(RequiredText(256))) }),
    status: 204,
    errors: ['trunk_not_found'],
  }),
  deleteTrunk: operation({
    id: 'deleteTrunk',
    method: 'DELETE',
    path: '/operator/v1/trunks/{trunkId}',
    summary: 'Remove a trunk',
    ...common,
    status: 204,
    errors: ['trunk_not_found'],
  }),
}
