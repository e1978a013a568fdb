import type { UseQueryResult } from '@tanstack/react-query'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { Loaded } from '../page/loaded.tsx'

/** A table of everything that a list answers. */
export const LoadedTable = <Row,>({ query, ...table }: { query: UseQueryResult<{ items: Row[] }> } & Omit<DataTableProps<Row>, 'rows'>) => (
  <Loaded query={query}>{({ items }) => <DataTable {...table} rows={items} />}</Loaded>
)
