import type { numberOperations } from '@offhook/contract/v1/numbers.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { changeNumber } from '#core/account/numbers/change-number.ts'
import { addQuickDial, changeQuickDial, removeQuickDial, requireFreeQuickDial } from '#core/account/numbers/quick-dials.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { countryOf, toNumberElement, toNumberItems } from './numbers/number-view.ts'
import type { numberRecordingOperations } from '@offhook/contract/v1/numbers/number-recording.ts'
import { setNumberVariables } from '#core/account/numbers/number-variables.ts'
import type { numberVariablesOperations } from '@offhook/contract/v1/numbers/number-variables.ts'
import { numberRecordingRule, setNumberRecordingRule } from '#core/account/numbers/recording-rule.ts'
import type { numberStockOperations, StockElement } from '@offhook/contract/v1/numbers/number-stock.ts'
import type { Static } from 'typebox'
import { needsAddress, orderNumber, returnNumber } from '#core/account/numbers/number-stock.ts'
import { placeOfArea } from '#core/kernel/phone-numbers/german-areas.ts'
import { localized } from '#core/kernel/phone-numbers/phone-number.ts'
import type { StockNumber } from '#core/kernel/ports/store/number.ts'

export const numberHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof numberOperations> => ({
  ...numberStockHandlers({ store, clock, wake }),
  ...numberRecordingHandlers({ store, clock }),
  ...numberVariablesHandlers({ store, clock }),

  listNumbers: async ({ caller }) => {
    const { numbers } = store.read
    const found = caller.admin ? numbers.list(caller.accountId) : numbers.listByUser(caller.accountId, caller.userId)
    return toNumberItems(store, caller.accountId, await found)
  },

  listUserNumbers: async ({ caller: { accountId, userId, admin }, params }) => {
    const { numbers } = store.read
    if (!admin || params.userId !== userId) return toNumberItems(store, accountId, await numbers.listByUser(accountId, params.userId))
    const theirs = (await numbers.list(accountId)).filter(
      ({ endpointOwner = '' }) => endpointOwner === userId || !endpointOwner.startsWith('w'),
    )
    return toNumberItems(store, accountId, theirs)
  },

  getNumber: async ({ caller, params }) => {
    const number = await store.read.numbers.find(caller.accountId, params.numberId)
    if (!number) throw new Problem('number_not_found')
    await demand(store, 'CAN_GET_NUMBERS', caller, number.endpointOwner ?? 'nobody')
    return toNumberElement(number, await countryOf(store, caller.accountId))
  },

  changeNumber: async ({ caller, params: { numberId }, body, effectId }) => {
    await store.write((tables) => changeNumber(tables, clock, caller, { numberId, effectId }, body))
    wake()
  },

  addQuickDial: async ({ caller, body, effectId }) => {
    await store.write((tables) => addQuickDial(tables, clock, caller, effectId, body))
  },

  validateQuickDial: ({ caller, params }) => requireFreeQuickDial(store.read, caller.accountId, params.quickDialNumber),

  changeQuickDial: async ({ caller, params, body }) => {
    await store.write((tables) => changeQuickDial(tables, clock, caller, params.quickdialId, body))
  },

  deleteQuickDial: async ({ caller, params }) => {
    await store.write((tables) => removeQuickDial(tables, clock, caller, params.numberId))
  },
})

const numberRecordingHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof numberRecordingOperations> => ({
  getNumberRecordingRule: ({ caller, params }) => numberRecordingRule(store.read, caller.accountId, params.numberId),

  setNumberRecordingRule: ({ caller, params, body: { rule } }) =>
    store.write((tables) => setNumberRecordingRule(tables, clock, caller, { ...params, rule })),
})

const numberVariablesHandlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof numberVariablesOperations> => ({
  getNumberVariables: async ({ caller: { accountId }, params: { numberId } }) => {
    const number = await store.read.numbers.find(accountId, numberId)
    if (!number) throw new Problem('number_not_found')
    return { variables: number.variables ?? {} }
  },

  setNumberVariables: ({ caller, params: { numberId }, body: { variables } }) =>
    store.write((tables) => setNumberVariables(tables, clock, caller, numberId, variables)),
})

const numberStockHandlers = ({
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
