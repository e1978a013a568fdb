import { useSearchParams } from 'wouter'

export interface ListState {
  search: string
  /** The key of a column, with a minus before it the other way round. */
  sort: string
  /** The first is 1. */
  page: number
  /** What is chosen in a filter; empty for nothing. */
  filter: (key: string) => string
  /** Empty values leave the address. Anything but another page leads to the first page. */
  set: (changes: Readonly<Record<string, string>>) => void
}

/**
 * What of a list is wanted. It stands in the address, so that reloading and going back find it again, and so that what asks the service and
 * what draws the list need not tell each other. `name` keeps the lists of one page apart.
 */
export const useListState = (name?: string): ListState => {
  const [params, setParams] = useSearchParams()
  const keyOf = (key: string): string => (name === undefined ? key : `${name}.${key}`)
  const get = (key: string): string => params.get(keyOf(key)) ?? ''
  const set = (changes: Readonly<Record<string, string>>): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete(keyOf('page'))
        for (const [key, value] of Object.entries(changes)) {
          if (value === '') after.delete(keyOf(key))
          else after.set(keyOf(key), value)
        }
        return after
      },
      { replace: true },
    )
  return { search: get('q'), sort: get('sort'), page: Math.max(1, Math.trunc(Number(get('page'))) || 1), filter: get, set }
}
