import type { Address as AddressElement, addressOperations } from '@offhook/contract/v1/addresses.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { addressIdOf, readAddress } from '#core/account/addresses/address-wish.ts'
import { changeAddress } from '#core/account/addresses/change-address.ts'
import type { Address } from '#core/kernel/ports/store/number/addresses.ts'
import type { Handlers } from '../handler/context.ts'
import type { Parts } from '../handler/parts.ts'
import { toNumberItems } from './numbers.ts'

export const addressHandlers = ({ store, clock, wake }: Parts): Handlers<typeof addressOperations> => ({
  listAddresses: async ({ caller }) => ({ items: (await store.read.addresses.list(caller.accountId)).map(toAddressElement) }),

  getAddress: async ({ caller, params }) => {
    const address = await store.read.addresses.find(caller.accountId, addressIdOf(params.addressId))
    if (!address) throw new Problem('address_not_found')
    return toAddressElement(address)
  },

  changeAddress: async ({ caller, params, body }) => {
    const address = { id: addressIdOf(params.addressId), ...readAddress(body) }
    await store.write((tables) => changeAddress(tables, clock, { accountId: caller.accountId, actor: `user:${caller.userId}`, address }))
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

export const toAddressElement = (address: Address): Static<typeof AddressElement> => ({
  id: String(address.id),
  poBox: address.poBox,
  extendedAddress: address.extendedAddress,
  streetAddress: `${address.street} ${address.houseNumber}`.trim(),
  locality: address.locality,
  region: address.region,
  postalCode: address.postalCode,
  country: address.country,
})
