import type { InputOf } from '#api/use-service.ts'

/** What of the results is wanted; empty: all. Days are those of the person's own time zone. */
export interface ResultFilter {
  search: string
  outcome: string
  version: string
  from: string
  to: string
}

export const queryOf = ({ search, outcome, version, from, to }: ResultFilter): Omit<InputOf<'listResults'>[0], 'aiFlowId'> => ({
  ...(search.trim() !== '' && { search: search.trim() }),
  ...(outcome.trim() !== '' && { outcome: outcome.trim() }),
  ...(version !== '' && { version: Number(version) }),
  ...(from !== '' && { from: dayBegins(from, 0) }),
  ...(to !== '' && { to: dayBegins(to, 1) }),
})

/** `later`: days after it. The last day that is wanted is wanted as a whole. */
const dayBegins = (day: string, later: number): string => {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + later)
  return date.toISOString()
}
