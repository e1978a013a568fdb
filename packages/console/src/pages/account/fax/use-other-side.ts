import { otherParty } from '#api/other-party.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import type { FaxEntry } from './fax-entry.ts'
import { text } from './text.ts'

/** Who sent a fax, or got it: a contact, a number, or what is known instead. */
export const useOtherSide = (): ((entry: FaxEntry) => string) => {
  const { withheld } = useText(text)
  const { phone } = useFormat()
  return (entry) => {
    const { number, contact } = otherParty(entry)
    if (contact) return contact.name
    return number === '' || number === 'anonymous' ? withheld : phone(number)
  }
}
