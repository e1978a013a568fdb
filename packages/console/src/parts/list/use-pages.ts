import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { OperationId } from '#api/use-service.ts'

const pageSize = 100
/** Maximum rows of a CSV file. */
const max = 100_000

export interface Pages<Row> {
  /** Rows loaded so far. */
  rows: Row[] | undefined
  error: Error | null
  /** Loads the next page. Undefined if there are no more. */
  more: (() => void) | undefined
  retry: () => void
  /** Total number, once known. */
  total: number | undefined
  /** Loads all matches. */
  all: () => Promise<Row[]>
}

/** Reply of a list. Some include the total and the start of the next page. */
interface PageOf<Row> {
  items: Row[]
  nextCursor?: string
  totalCount?: number
  /** The real total is larger than `totalCount`. */
  totalIsMinimum?: boolean
}

interface Reading<Row> {
  operation: OperationId
  filter: object
  /** False: not yet, because a dependency is unknown. */
  when?: boolean
  /** `after`: end of the previous page; empty for the first. */
  read: (after: string) => Promise<PageOf<Row>>
  nextOf: (page: PageOf<Row>) => string | undefined
}

const useReading = <Row>({ operation, filter, when = true, read, nextOf }: Reading<Row>): Pages<Row> => {
  const query = useInfiniteQuery({
    queryKey: [operation, 'pages', filter],
    queryFn: ({ pageParam }) => read(pageParam),
    placeholderData: keepPreviousData,
    initialPageParam: '',
    getNextPageParam: nextOf,
    enabled: when,
  })
  const rows = query.data?.pages.flatMap(({ items }) => items)
  const { totalCount, totalIsMinimum = false } = query.data?.pages[0] ?? {}
  return {
    rows,
    error: query.error,
    more: query.hasNextPage && !query.isFetching ? () => void query.fetchNextPage() : undefined,
    retry: () => void query.refetch(),
    total: query.hasNextPage ? (totalIsMinimum ? undefined : totalCount) : rows?.length,
    all: async () => {
      const found: Row[] = []
      for (let after: string | undefined = ''; after !== undefined && found.length < max;) {
        const page = await read(after)
        found.push(...page.items)
        after = nextOf(page)
      }
      return found
    },
  }
}

/** A list in pages of a hundred: `after` is `idOf` the last row. */
export const usePages = <Row>(
  operation: OperationId,
  filter: object,
  read: (page: { after?: string; limit: number }) => Promise<{ items: Row[] }>,
  idOf: (row: Row) => string,
): Pages<Row> =>
  useReading({
    operation,
    filter,
    read: (after) => read({ limit: pageSize, ...(after !== '' && { after }) }),
    nextOf: ({ items }) => {
      const last = items.at(-1)
      return items.length < pageSize || last === undefined ? undefined : idOf(last)
    },
  })

/** A list with cursors: new entries do not shift the pages. */
export const useCursorPages = <Row>(
  operation: OperationId,
  filter: object,
  read: (page: { cursor?: string; limit: number }) => Promise<PageOf<Row>>,
  { when = true }: { when?: boolean } = {},
): Pages<Row> =>
  useReading({
    operation,
    filter,
    when,
    read: (cursor) => read({ limit: pageSize, ...(cursor !== '' && { cursor }) }),
    nextOf: ({ nextCursor }) => nextCursor,
  })
