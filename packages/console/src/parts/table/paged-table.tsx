import { Button, Group } from '@mantine/core'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { ErrorNotice } from '../form/error-notice.tsx'
import { WaitingRows } from '../page/loaded.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import type { Pages } from './use-pages.ts'

/** A table whose rows come in pages. */
export const PagedTable = <Row,>({ pages, ...table }: { pages: Pages<Row> } & Omit<DataTableProps<Row>, 'rows'>) => {
  const say = useText(text)
  if (pages.rows === undefined) return pages.error ? <ErrorNotice error={pages.error} onRetry={pages.retry} /> : <WaitingRows />
  return (
    <>
      <DataTable {...table} rows={pages.rows} />
      {pages.more && (
        <Group justify="center" p="md">
          <Button variant="default" onClick={pages.more}>
            {say.moreRows}
          </Button>
        </Group>
      )}
    </>
  )
}
