import type { OutputOf } from '#api/use-service.ts'

export type Address = OutputOf<'listAddresses'>['items'][number]

/** An address as it stands on an envelope, line by line. */
export const linesOf = ({ extendedAddress, streetAddress, poBox, postalCode, locality, region }: Address): string[] =>
  [extendedAddress, streetAddress, poBox, `${postalCode} ${locality}`.trim(), region].filter((line) => line !== '')

export const onOneLine = (address: Address): string => linesOf(address).join(', ')
