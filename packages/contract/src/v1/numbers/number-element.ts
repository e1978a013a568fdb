import { Type } from 'typebox'
import { Nullable, OneOf, Output, Timestamp } from '../../values.ts'

export const numberTypes = ['MOBILE', 'LANDLINE', 'QUICKDIAL', 'INTERNATIONAL'] as const
export const numberStates = ['ACTIVE', 'ADDRESS_PENDING', 'DEACTIVATED', 'PORTING_IN', 'PORTED_OUT'] as const

export const NumberElement = Output({
  id: Type.String(),
  number: Type.String({ description: 'E.164 with the plus sign; the digits of a quick dial' }),
  localized: Type.String({ description: 'As it is written in the country of the account' }),
  type: OneOf(numberTypes),
  state: OneOf(numberStates),
  endpointId: Type.String({ description: 'Where calls go; empty when they go nowhere' }),
  endpointAlias: Type.String(),
  endpointUrl: Type.String(),
  mnpState: Type.Optional(Output({ isReleased: Type.Boolean(), releasedUntil: Nullable(Timestamp) })),
  portId: Type.Optional(Type.Integer()),
  portState: Type.Optional(Output({ status: Type.Integer() })),
})
