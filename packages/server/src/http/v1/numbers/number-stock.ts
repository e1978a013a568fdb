import type { numberStockOperations, StockElement } from '@offhook/contract/v1/numbers/number-stock.ts'
import type { Static } from 'typebox'
import { needsAddress, orderNumber, returnNumber } from '#core/account/numbers/number-stock.ts'
import { placeOfArea } from '#core/kernel/phone-numbers/german-areas.ts'
import { localized } from '#core/kernel/phone-numbers/phone-number.ts'
import type { StockNumber } from '#core/kernel/ports/store/number/number-stock.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'
import { countryOf, toNumberElement } from './number-view.ts'

export const numberStockHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof numberStockOperations> => ({
  listStock: async ({ caller: { accountId }, query: { after = '', limit = 50, ...which } }) => {
    const found = await store.read.numberStock.free({ after, limit, ...which }, clock.now())
    const home = await countryOf(store, accountId)
    const currency = (await store.read.balances.find(accountId))?.currency ?? ''
    return { items: found.map((number) => toStockElement(number, home)), currency }
  },

  orderNumber: async ({ caller, body, effectId }) => {
    const number = await store.write((tables) => orderNumber(tables, clock, caller, { id: effectId, ...body }))
    wake()
    return toNumberElement(number, await countryOf(store, caller.accountId))
  },

  returnNumber: async ({ caller, params }) => {
    await store.write((tables) => returnNumber(tables, clock, caller, params.numberId))
    wake()
  },
})

const toStockElement = (number: StockNumber, home: string): Static<typeof StockElement> => ({
  id: number.id,
  number: number.e164,
  localized: localized(number.e164, home),
  country: number.country,
  area: number.area,
  place: placeOfArea(number.area) ?? '',
  price: number.price,
  needsAddress: needsAddress(number),
})
