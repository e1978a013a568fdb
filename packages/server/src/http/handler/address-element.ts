import type { Address as AddressElement } from '@offhook/contract/v1/addresses.ts'
import type { Static } from 'typebox'
import type { Address } from '#core/kernel/ports/store/number.ts'

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
