import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { OperationId } from '#api/use-service.ts'

const pageSize = 100

export interface Pages<Row> {
  rows: Row[] | undefined
  error: Error | null
  /** Undefined when there are no more. */
  more: (() => void) | undefined
  retry: () => void
}

/** A list that comes in pages of a hundred: `after` is what `idOf` says of the last row. */
export const usePages = <Row>(
  operation: OperationId,
  filter: object,
  read: (page: { after?: string; limit: number }) => Promise<{ items: Row[] }>,
  idOf: (row: Row) => string,
): Pages<Row> => {
  const query = useInfiniteQuery({
    queryKey: [operation, 'pages', filter],
    queryFn: ({ pageParam }) => read({ limit: pageSize, ...(pageParam !== '' && { after: pageParam }) }),
    placeholderData: keepPreviousData,
    initialPageParam: '',
    getNextPageParam: ({ items }) => {
      const last = items.at(-1)
      return items.length < pageSize || last === undefined ? undefined : idOf(last)
    },
  })
  return {
    rows: query.data?.pages.flatMap(({ items }) => items),
    error: query.error,
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    retry: () => void query.refetch(),
  }
}
