import { useSearchParams } from 'wouter'

export interface ListState {
  search: string
  /** Column key, with a leading minus for descending. */
  sort: string
  /** The first is 1. */
  page: number
  /** Chosen option of a filter; empty for none. */
  filter: (key: string) => string
  /** Removes empty values from the address. Any change but the page resets to the first page. */
  set: (changes: Readonly<Record<string, string>>) => void
}

/**
 * Search, sort, filters and page of a list. Kept in the address, so that reload and Back restore it, and the request and the list share it.
 * `name` separates the lists of one page.
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
