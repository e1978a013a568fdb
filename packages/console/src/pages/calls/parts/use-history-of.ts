import { useSearchParams } from 'wouter'
import { useMe } from '#api/use-me.ts'

export interface HistoryOf {
  /** Undefined until it is known. */
  userId: string | undefined
  isOwn: boolean
  /** To be put behind addresses, so that the next page is about the same person. */
  search: string
}

/** Whose history is looked at: administrators choose, and it stands in the address. */
export const useHistoryOf = (): HistoryOf => {
  const me = useMe()?.id
  const [search] = useSearchParams()
  const userId = search.get('user') ?? me
  const isOwn = userId === me
  return { userId, isOwn, search: isOwn || userId === undefined ? '' : `?user=${encodeURIComponent(userId)}` }
}
