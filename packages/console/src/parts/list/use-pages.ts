import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { OperationId } from '#api/use-service.ts'

const pageSize = 100
/** So many rows are read for a CSV file. */
const most = 100_000

export interface Pages<Row> {
  /** As far as they were read. */
  rows: Row[] | undefined
  error: Error | null
  /** Reads on. Undefined when there are no more. */
  more: (() => void) | undefined
  retry: () => void
  /** How many there are, once that is known. */
  total: number | undefined
  /** Reads everything that fits. */
  all: () => Promise<Row[]>
}

type Page = { after?: string; limit: number }

/** A list that comes in pages of a hundred: `after` is what `idOf` says of the last row. */
export const usePages = <Row>(
  operation: OperationId,
  filter: object,
  read: (page: Page) => Promise<{ items: Row[] }>,
  idOf: (row: Row) => string,
): Pages<Row> => {
  const readAfter = (after: string, limit: number): Promise<{ items: Row[] }> => read({ limit, ...(after !== '' && { after }) })
  const nextOf = ({ items }: { items: Row[] }, limit: number): string | undefined => {
    const last = items.at(-1)
    return items.length < limit || last === undefined ? undefined : idOf(last)
  }
  const query = useInfiniteQuery({
    queryKey: [operation, 'pages', filter],
    queryFn: ({ pageParam }) => readAfter(pageParam, pageSize),
    placeholderData: keepPreviousData,
    initialPageParam: '',
    getNextPageParam: (page) => nextOf(page, pageSize),
  })
  const rows = query.data?.pages.flatMap(({ items }) => items)
  return {
    rows,
    error: query.error,
    more: query.hasNextPage && !query.isFetching ? () => void query.fetchNextPage() : undefined,
    retry: () => void query.refetch(),
    total: query.hasNextPage ? undefined : rows?.length,
    all: async () => {
      const found: Row[] = []
      for (let after: string | undefined = ''; after !== undefined && found.length < most;) {
        const page = await readAfter(after, pageSize)
        found.push(...page.items)
        after = nextOf(page, pageSize)
      }
      return found
    },
  }
}
