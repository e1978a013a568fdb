import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, OneOf, Output, RequiredText, Timestamp } from '../values.ts'

export const services = ['CALL', 'FAX', 'SMS', 'SIM'] as const

const Tariff = Output({ id: Type.String(), name: Type.String(), currency: Type.String(), createdAt: Timestamp })

/** Ten-thousandths of the currency unit. */
const Price = Type.Integer({ minimum: 0, maximum: 10_000_000_000 })
const Seconds = (minimum: number) => Type.Integer({ minimum, maximum: 3600 })
const Moment = Type.String({ maxLength: 40, description: 'ISO 8601 with its time zone' })

const TariffRate = Output({
  id: Type.Integer(),
  service: OneOf(services),
  prefix: Type.String(),
  blocked: Type.Boolean(),
  connectFee: Type.Integer(),
  ratePerMinute: Type.Integer(),
  minSeconds: Type.Integer(),
  incrementSeconds: Type.Integer(),
  perUnit: Type.Integer(),
  validFrom: Timestamp,
  validUntil: Type.Optional(Timestamp),
})

const common = { auth: 'operator', bearer: true } as const

export const operatorTariffOperations = {
  listTariffs: operation({
    id: 'listTariffs',
    method: 'GET',
    path: '/operator/v1/tariffs',
    summary: 'All tariffs',
    ...common,
    status: 200,
    reply: Items(Tariff),
  }),
  createTariff: operation({
    id: 'createTariff',
    method: 'POST',
    path: '/operator/v1/tariffs',
    summary: 'Create a tariff; it has no rates yet, so nothing can be called with it',
    ...common,
    body: Input({
      id: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$', description: 'Small letters, digits and hyphens' }),
      name: RequiredText(100),
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' }),
    }),
    status: 201,
    reply: Tariff,
    errors: ['already_exists'],
  }),
  readTariff: operation({
    id: 'readTariff',
    method: 'GET',
    path: '/operator/v1/tariffs/{tariffId}',
    summary: 'One tariff',
    ...common,
    status: 200,
    reply: Tariff,
    errors: ['tariff_not_found'],
  }),
  listRates: operation({
    id: 'listRates',
    method: 'GET',
    path: '/operator/v1/tariffs/{tariffId}/rates',
    summary: 'The rates of a tariff that hold now or will, or all there ever were, by id',
    ...common,
    query: Input({
      after: Type.Optional(Type.Integer({ minimum: 0 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1000 })),
      service: Type.Optional(OneOf(services)),
      past: Type.Optional(Type.Boolean({ description: 'Also those that no longer hold' })),
    }),
    status: 200,
    reply: Items(TariffRate),
    errors: ['tariff_not_found'],
  }),
  setRate: operation({
    id: 'setRate',
    method: 'POST',
    path: '/operator/v1/tariffs/{tariffId}/rates',
    summary: 'Add a rate; for its time it takes the place of what holds for the same prefix',
    ...common,
    body: Input({
      service: OneOf(services),
      prefix: Type.Union([
        Type.String({ pattern: '^[0-9]{0,15}$', description: 'Digits of E.164; empty for all other destinations' }),
        Type.String({
          pattern: '^[A-Z]{2}:[0-9]{0,9}$',
          description:
            'DE:115 for a short number of a country, DE:11 for those that begin so, DE: for all that are known to be standard rate',
        }),
      ]),
      blocked: Type.Optional(Type.Boolean()),
      connectFee: Type.Optional(Price),
      ratePerMinute: Type.Optional(Price),
      minSeconds: Type.Optional(Seconds(0)),
      incrementSeconds: Type.Optional(Seconds(1)),
      perUnit: Type.Optional(Price),
      validFrom: Type.Optional(Moment),
      validUntil: Type.Optional(Moment),
    }),
    status: 201,
    reply: TariffRate,
    errors: ['tariff_not_found'],
  }),
  closeRate: operation({
    id: 'closeRate',
    method: 'DELETE',
    path: '/operator/v1/tariffs/{tariffId}/rates/{rateId}',
    summary: 'End a rate now; one that already ended stays as it is',
    ...common,
    status: 204,
    errors: ['tariff_not_found', 'rate_not_found'],
  }),
}
