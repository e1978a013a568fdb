import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './client.ts'
import { whenPersonChanges } from './session.ts'

/** What the service refused it would refuse again; only what never arrived is tried once more. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status >= 502),
    },
  },
})

whenPersonChanges(() => queryClient.clear())
