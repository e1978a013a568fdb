import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output } from '../values.ts'

export const Holidays = Output({
  items: Type.Array(
    Output({
      date: Type.String({ description: '2027-12-25' }),
      name: Type.String({ description: 'As it is called there' }),
      partly: Type.Optional(Type.Literal(true, { description: 'Not everywhere in the region, or not by law' })),
    }),
  ),
  regions: Type.Array(Output({ code: Type.String(), name: Type.String() }), {
    description: 'Of the country; none where all have the same',
  }),
})

export const holidayOperations = {
  listHolidays: operation({
    id: 'listHolidays',
    method: 'GET',
    path: '/v1/holidays',
    summary: 'Holidays of a country or region, to be taken over into a schedule: Germany, Austria, Switzerland',
    auth: 'user',
    bearer: true,
    scopes: ['settings:read'],
    query: Input({
      country: Type.String({ pattern: '^[A-Z]{2}$' }),
      region: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: 'Missing: what holds in the whole country' })),
      year: Type.Integer({ minimum: 1990, maximum: 2199 }),
    }),
    status: 200,
    reply: Holidays,
    errors: ['country_unknown'],
  }),
}
