import type { Address } from '#core/kernel/ports/store/number/addresses.ts'
import type { Holder } from '#core/kernel/ports/store/number/portings.ts'

/** What the present carrier knows about its customer. */
export interface KnownCustomer {
  /** The company and the names of its users. */
  names: string[]
  addresses: Pick<Address, 'street' | 'houseNumber' | 'postalCode' | 'locality' | 'country'>[]
}

/** The code of a refusal, or undefined when the named holder is our customer. */
export function holderMismatch(holder: Holder, customer: KnownCustomer): '8108' | '8112' | undefined {
  const name = plain(holder.name)
  if (name === '' || !customer.names.some((known) => plain(known) === name)) return '8112'
  return customer.addresses.some((address) => sameAddress(holder, address)) ? undefined : '8108'
}

function sameAddress(holder: Holder, address: KnownCustomer['addresses'][number]): boolean {
  const pairs = [
    [holder.country, address.country],
    [holder.postcode, address.postalCode],
    [holder.city, address.locality],
    [plainStreet(holder.street), plainStreet(address.street)],
    [holder.number, address.houseNumber],
  ] as const
  return pairs.every(([named, known]) => plain(named) === plain(known))
}

/** "Königsallee 1" and "KOENIGSALLEE 1" are the same: case, umlauts, spaces and punctuation do not count. */
function plain(text: string): string {
  const spelled = text.normalize('NFC').replace(/[äöüÄÖÜ]/g, (letter) => `${letter.normalize('NFD').charAt(0)}e`)
  const letters = spelled.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  return letters.replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Hauptstraße, Hauptstr. and Haupt Strasse are one street. */
function plainStreet(street: string): string {
  return plain(street).replace(/strasse$/, 'str')
}
