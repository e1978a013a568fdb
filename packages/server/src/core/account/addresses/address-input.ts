import { Problem } from '@offhook/contract/problem.ts'
import { isSupportedCountry } from 'libphonenumber-js/max'
import type { Address } from '#core/kernel/ports/store/number.ts'

/** An address as clients send it. */
interface AddressInput {
  countrycode: string
  postcode: string
  city: string
  state?: string
  street?: string
  number?: string
  address1?: string
  address2?: string
}

const postcodes: Record<string, { pattern: RegExp; wanted: string }> = {
  AT: { pattern: /^\d{4}$/, wanted: 'four digits in Austria' },
  CH: { pattern: /^\d{4}$/, wanted: 'four digits in Switzerland' },
  DE: { pattern: /^\d{5}$/, wanted: 'five digits in Germany' },
}

/** Parses an address input; throws a Problem that names the invalid field. */
export const readAddress = (input: AddressInput): Omit<Address, 'id'> => {
  const [countrycode, postcode, city] = [input.countrycode.trim().toUpperCase(), input.postcode.trim(), input.city.trim()]
  const [street, houseNumber] = [input.street?.trim() ?? '', input.number?.trim() ?? '']
  if (!isSupportedCountry(countrycode)) throw Problem.field('countrycode', 'is no country code of ISO 3166, such as DE')
  if (postcode === '') throw Problem.field('postcode', 'is required')
  const rule = postcodes[countrycode]
  if (rule && !rule.pattern.test(postcode)) throw Problem.field('postcode', `must have ${rule.wanted}`)
  if (city === '') throw Problem.field('city', 'is required')
  return {
    poBox: '',
    extendedAddress: [input.address1, input.address2]
      .map((line) => line?.trim() ?? '')
      .filter((line) => line !== '')
      .join(', '),
    street,
    houseNumber,
    locality: city,
    region: input.state?.trim() ?? '',
    postalCode: postcode,
    country: countrycode,
  }
}

/** Maps an invalid id to 0, which no address has. */
export const addressIdOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : 0)
