import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import type { Party } from '#api/phone/calls.ts'
import { text } from './text.ts'

/** The name, or else the number; `number` only in addition to a name. */
export const usePartyName = (): ((party: Party) => { name: string; number: string }) => {
  const say = useText(text)
  const { phone } = useFormat()
  return ({ name = '', number = '' }) => {
    const digits = number === '' ? '' : phone(number)
    if (name === '' || name === number) return { name: digits === '' ? say.withheld : digits, number: '' }
    return { name, number: digits }
  }
}
