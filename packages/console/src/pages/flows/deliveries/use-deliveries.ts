import { useInfiniteQuery } from '@tanstack/react-query'
import { api, type ApiError } from '#api/client.ts'
import type { InputOf, OutputOf } from '#api/use-service.ts'

export type Delivery = OutputOf<'listDeliveries'>['items'][number]
type Filter = Pick<NonNullable<InputOf<'listDeliveries'>[0]>, 'state' | 'sessionId'>

const pageSize = 50

/** The log, page by page, the latest first; it is looked at again while it is open. */
export const useDeliveries = (aiFlowId: string, filter: Filter) => {
  const query = useInfiniteQuery<OutputOf<'listDeliveries'>, ApiError, { pages: OutputOf<'listDeliveries'>[] }, unknown[], string>({
    queryKey: ['listDeliveries', { aiFlowId, ...filter }],
    queryFn: ({ pageParam }) =>
      api.listDeliveries({ aiFlowId, ...filter, limit: pageSize, ...(pageParam !== '' && { before: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ items }) => (items.length < pageSize ? undefined : items.at(-1)?.id),
    refetchInterval: 5_000,
  })
  return { ...query, deliveries: query.data?.pages.flatMap(({ items }) => items) ?? [] }
}
