import { useSearchParams } from 'wouter'
import { useMe } from '#api/use-me.ts'

interface HistoryOf {
  /** Undefined until known. */
  userId: string | undefined
  isOwn: boolean
  /** Query string for links, to keep the chosen person. */
  search: string
}

/** User whose history is shown: chosen by administrators, part of the address. */
export const useHistoryOf = (): HistoryOf => {
  const me = useMe()?.id
  const [search] = useSearchParams()
  const userId = search.get('user') ?? me
  const isOwn = userId === me
  return { userId, isOwn, search: isOwn || userId === undefined ? '' : `?user=${encodeURIComponent(userId)}` }
}
