import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output } from '../values.ts'
import { SimOrder, simOrderStates } from '../v1/devices/device-values.ts'

export const simCardStates = ['STOCK', 'SHIPPED', 'ACTIVE', 'DEACTIVATED'] as const
export const simOrderEvents = ['pick', 'ship', 'deliver', 'activate', 'cancel'] as const

const byOperator = { auth: 'operator', bearer: true } as const
const Iccid = Type.String({ maxLength: 22, pattern: '^[0-9]{18,22}$', description: 'The number on the card' })
const Puk = Type.String({ maxLength: 8, pattern: '^[0-9]{8}$' })
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500 }))

/** Without the PUKs: only the user of the device with the card may read them. */
export const SimCard = Output({
  iccid: Type.String(),
  imsi: Type.Optional(Type.String()),
  state: OneOf(simCardStates),
  accountId: Type.Optional(Type.String()),
  deviceId: Type.Optional(Type.String()),
})

const OperatorSimOrder = Output({ ...SimOrder.properties, accountId: Type.String() })

export const operatorSimOperations = {
  listSimCards: operation({
    id: 'listSimCards',
    method: 'GET',
    path: '/operator/v1/sims',
    summary: 'SIM cards, by their number',
    ...byOperator,
    query: Input({ state: Type.Optional(OneOf(simCardStates)), after: Type.Optional(Type.String({ maxLength: 22 })), limit }),
    status: 200,
    reply: Items(SimCard),
  }),
  addSimCard: operation({
    id: 'addSimCard',
    method: 'POST',
    path: '/operator/v1/sims',
    summary: 'Put a SIM card into stock, or hand it to an account',
    ...byOperator,
    body: Input({
      iccid: Iccid,
      imsi: Type.Optional(Type.String({ maxLength: 15, pattern: '^[0-9]{14,15}$' })),
      puk1: Puk,
      puk2: Puk,
      accountId: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Hands the card to this account at once' })),
    }),
    status: 201,
    reply: SimCard,
    errors: ['already_exists', 'account_not_found'],
  }),
  listAllSimOrders: operation({
    id: 'listAllSimOrders',
    method: 'GET',
    path: '/operator/v1/sims/orders',
    summary: 'Orders of SIM cards, the oldest first',
    ...byOperator,
    query: Input({ state: Type.Optional(OneOf(simOrderStates)), after: Type.Optional(Type.String({ maxLength: 64 })), limit }),
    status: 200,
    reply: Items(OperatorSimOrder),
  }),
  moveSimOrder: operation({
    id: 'moveSimOrder',
    method: 'POST',
    path: '/operator/v1/sims/orders/{orderId}/moves',
    summary: 'Say what happened to an order; picking names the card',
    ...byOperator,
    body: Input({ event: OneOf(simOrderEvents), iccid: Type.Optional(Iccid) }),
    status: 200,
    reply: OperatorSimOrder,
    errors: ['sim_order_not_found', 'conflict'],
  }),
}
