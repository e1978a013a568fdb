import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import type { OperationId } from '#api/use-service.ts'

const pageSize = 100
/** So many rows are read for a CSV file. */
const max = 100_000

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

/** What a list answers. Some say how many there are and where the next page begins. */
export interface PageOf<Row> {
  items: Row[]
  nextCursor?: string
  totalCount?: number
  /** There are more than `totalCount`. */
  totalIsMinimum?: boolean
}

interface Reading<Row> {
  operation: OperationId
  filter: object
  /** False: not yet, because something it needs is not known. */
  when?: boolean
  /** `after`: where the page before ended; empty for the first. */
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

/** A list that comes in pages of a hundred: `after` is what `idOf` says of the last row. */
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

/** A list whose pages say where the next one begins: what arrives meanwhile does not move them. */
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
