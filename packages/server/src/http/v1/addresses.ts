import type { addressOperations } from '@offhook/contract/v1/addresses.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { addressIdOf, readAddress } from '#core/account/addresses/address-input.ts'
import { changeAddress } from '#core/account/addresses/change-address.ts'
import { toAddressElement } from '../handler/address-element.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toNumberItems } from './numbers/number-view.ts'
import { userActor } from '#core/kernel/audit/audit.ts'

export const addressHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof addressOperations> => ({
  listAddresses: async ({ caller }) => ({ items: (await store.read.addresses.list(caller.accountId)).map(toAddressElement) }),

  getAddress: async ({ caller, params }) => {
    const address = await store.read.addresses.find(caller.accountId, addressIdOf(params.addressId))
    if (!address) throw new Problem('address_not_found')
    return toAddressElement(address)
  },

  changeAddress: async ({ caller, params, body }) => {
    const address = { id: addressIdOf(params.addressId), ...readAddress(body) }
    await store.write((tables) => changeAddress(tables, clock, { accountId: caller.accountId, actor: userActor(caller.userId), address }))
    wake()
  },

  listAddressNumbers: async ({ caller, params }) => {
    const id = addressIdOf(params.addressId)
    if (!(await store.read.addresses.find(caller.accountId, id))) throw new Problem('address_not_found')
    const numbers = await store.read.numbers.listByAddress(caller.accountId, id)
    const visible = caller.admin ? numbers : numbers.filter(({ endpointOwner }) => endpointOwner === caller.userId)
    return toNumberItems(store, caller.accountId, visible)
  },
})
