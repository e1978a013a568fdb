import type { numberOperations } from '@offhook/contract/v1/numbers.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { changeNumber } from '#core/account/numbers/change-number.ts'
import { addQuickDial, changeQuickDial, removeQuickDial, requireFreeQuickDial } from '#core/account/numbers/quick-dials.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { numberStockHandlers } from './numbers/number-stock.ts'
import { countryOf, toNumberElement, toNumberItems } from './numbers/number-view.ts'

export const numberHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof numberOperations> => ({
  ...numberStockHandlers({ store, clock, wake }),
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

  changeNumber: async ({ caller, params, body }) => {
    await store.write((tables) => changeNumber(tables, clock, caller, params.numberId, body))
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
