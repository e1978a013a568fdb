import { Problem } from '@offhook/contract/problem.ts'
import { StoreFull, StoreUnavailable, UniqueViolation } from './ports/store/index.ts'

/** Maps a store failure to a Problem; undefined for other errors. */
export const storeProblem = (error: unknown): Problem | undefined => {
  if (error instanceof UniqueViolation) return new Problem('already_exists')
  if (error instanceof StoreFull) return new Problem('storage_full', undefined, { retryAfter: 60 })
  if (error instanceof StoreUnavailable) return new Problem('unavailable', 'The database is not answering.', { retryAfter: 5 })
  return undefined
}
