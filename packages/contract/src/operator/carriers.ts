import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output, RequiredText } from '../values.ts'

export const Carrier = Output({ code: Type.String(), name: Type.String(), url: Type.String() })

const Url = Type.String({ maxLength: 500, pattern: '^https?://[^\\s?#]+$', description: 'Messages go to {url}/carrier/v1/messages' })
const Secret = Type.String({
  maxLength: 100,
  pattern: '^whsec_',
  description: 'Both carriers sign with it: whsec_ and 24 to 64 bytes in base64',
})

const common = { auth: 'operator', bearer: true } as const
const one = { path: '/operator/v1/carriers/{carrierCode}', ...common } as const

export const operatorCarrierOperations = {
  listCarriers: operation({
    id: 'listCarriers',
    method: 'GET',
    path: '/operator/v1/carriers',
    summary: 'Carriers that we exchange numbers with',
    ...common,
    status: 200,
    reply: Items(Carrier),
  }),
  createCarrier: operation({
    id: 'createCarrier',
    credentials: true,
    method: 'POST',
    path: '/operator/v1/carriers',
    summary: 'Add a carrier; without a secret one is made',
    ...common,
    body: Input({
      code: Type.String({ maxLength: 12, pattern: '^[A-Z0-9]{2,12}$' }),
      name: RequiredText(100),
      url: Url,
      secret: Type.Optional(Secret),
    }),
    status: 201,
    reply: Output({
      code: Type.String(),
      secret: Type.Optional(Type.String({ description: 'Only when it was made here; shown this once' })),
    }),
    errors: ['already_exists'],
  }),
  readCarrier: operation({
    id: 'readCarrier',
    method: 'GET',
    ...one,
    summary: 'One carrier',
    status: 200,
    reply: Carrier,
    errors: ['carrier_not_found'],
  }),
  updateCarrier: operation({
    id: 'updateCarrier',
    method: 'PUT',
    ...one,
    summary: 'Change a carrier; what is left out stays',
    body: Input({ name: Type.Optional(RequiredText(100)), url: Type.Optional(Url), secret: Type.Optional(Secret) }),
    status: 204,
    errors: ['carrier_not_found'],
  }),
  deleteCarrier: operation({
    id: 'deleteCarrier',
    method: 'DELETE',
    ...one,
    summary: 'Remove a carrier that no open porting needs',
    status: 204,
    errors: ['carrier_not_found', 'conflict'],
  }),
}
