import { useDebouncedValue } from '@mantine/hooks'
import { otherParty } from '#api/other-party.ts'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { suggestionsFor, type Suggestion } from './suggestions.ts'

/** Milliseconds of debounce before the service is queried. */
const pauseMs = 150

/** Contacts and recent calls that match the typed text. */
export const useSuggestions = (typed: string): readonly Suggestion[] => {
  const may = useMay()
  const wanted = typed.trim() !== ''
  const [search] = useDebouncedValue(typed.trim().slice(0, 100), pauseMs)
  const contacts = useRead('listContacts', { search, limit: 10 }, { when: search !== '' && may('CAN_GET_CONTACTS') }).data?.items ?? []
  const recent = useRecentCalls(wanted)
  const known = contacts.flatMap(({ name, numbers }) => numbers.map((number) => ({ name, number })))
  return wanted ? suggestionsFor(typed, [...known, ...recent]) : []
}

/** Recent parties of the person's calls; each once. */
export const useRecentCalls = (wanted: boolean): readonly Suggestion[] => {
  const may = useMay()
  const history = useRead('listOwnHistory', { types: ['CALL'], limit: 20 }, { when: wanted && may('CAN_GET_HISTORY') })
  const found = new Map<string, Suggestion>()
  for (const entry of history.data?.items ?? []) {
    const { number, alias, contact } = otherParty(entry)
    const name = contact?.name ?? (alias === number ? '' : alias)
    if (/^[+*#\d]+$/.test(number) && !found.has(number)) found.set(number, { number, name })
  }
  return [...found.values()]
}
