import { Type } from 'typebox'
import { AliasedId, DisplayName, Input, OneOf, Output, RequiredText, Timestamp } from '../../values.ts'

export const deviceTypes = ['REGISTER', 'MOBILE', 'EXTERNAL', 'BROWSER'] as const
/** BROWSER devices are created automatically, one per user. */
export const addedDeviceTypes = ['REGISTER', 'MOBILE', 'EXTERNAL'] as const
export const simStates = ['INACTIVE', 'PENDING', 'ACTIVE'] as const
export const callDisplays = ['CALLED_NUMBER', 'CALLER_NUMBER'] as const
export const simOrderStates = ['ORDERED', 'PICKED', 'SHIPPED', 'DELIVERED', 'ACTIVATED', 'CANCELLED'] as const

const common = {
  id: Type.String(),
  alias: Type.String(),
  online: Type.Boolean({ description: 'Whether it can ring at this moment' }),
  dnd: Type.Boolean({ description: 'Do not disturb: it is left out when its lines ring' }),
  activePhonelines: Type.Array(AliasedId),
  activeGroups: Type.Array(AliasedId),
  emergencyAddressId: Type.Optional(Type.Integer()),
  addressUrl: Type.Optional(Type.String({ description: 'Of the emergency address' })),
}

export const RegisterDevice = Output({
  ...common,
  type: Type.Literal('REGISTER'),
  credentials: Output({
    username: Type.String(),
    password: Type.String({
      description: 'Empty, unless the device was just created or the token names the scope devices:credentials:read',
    }),
    sipServer: Type.String(),
    outboundProxy: Type.String(),
    sipServerWebsocketUrl: Type.String(),
  }),
  registered: Type.Array(Output({ userAgent: Type.String(), ip: Type.String(), port: Type.Integer() })),
})

export const MobileDevice = Output({
  ...common,
  type: Type.Literal('MOBILE'),
  credentials: Type.Optional(
    Output({
      simId: Type.String(),
      puk1: Type.String({ description: 'Empty, unless the token names the scope devices:credentials:read' }),
      puk2: Type.String({ description: 'As puk1' }),
    }),
  ),
  simState: OneOf(simStates),
  esim: Type.Boolean(),
})

export const ExternalDevice = Output({
  ...common,
  type: Type.Literal('EXTERNAL'),
  number: Type.String({ description: 'E.164; rings instead of a phone of ours' }),
  incomingCallDisplayState: OneOf(callDisplays),
})

export const BrowserDevice = Output({
  ...common,
  type: Type.Literal('BROWSER'),
  pages: Type.Array(
    Output({
      id: Type.String(),
      since: Timestamp,
      visible: Type.Boolean({ description: 'Somebody sees it at this moment' }),
      program: Type.String({ description: 'What the browser calls itself' }),
    }),
    { description: 'Where it rings' },
  ),
})

export const Device = Type.Union([RegisterDevice, MobileDevice, ExternalDevice, BrowserDevice])

/** As entered by people; interpreted by the country of the account. */
export const WrittenNumber = RequiredText(40)

export const NewDevice = Input({
  type: OneOf(addedDeviceTypes),
  alias: DisplayName,
  number: Type.Optional(Type.String({ maxLength: 40, description: 'Required for EXTERNAL, refused for the others' })),
})

const Postal = Output({
  poBox: Type.String(),
  extendedAddress: Type.String(),
  streetAddress: Type.String(),
  locality: Type.String(),
  region: Type.String(),
  postalCode: Type.String(),
  country: Type.String(),
})

export const SimOrder = Output({
  id: Type.String(),
  deviceId: Type.String(),
  state: OneOf(simOrderStates),
  simId: Type.Optional(Type.String({ description: 'Once a card was picked' })),
  address: Postal,
  orderedBy: Type.String({ description: 'Id of the user' }),
  orderedAt: Timestamp,
  changedAt: Timestamp,
})
