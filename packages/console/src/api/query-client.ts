import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'
import { whenPersonChanges } from './session.ts'

/** The service would reject a rejected request again; only unanswered ones are retried, once. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status >= 502),
    },
  },
})

whenPersonChanges(() => queryClient.clear())
