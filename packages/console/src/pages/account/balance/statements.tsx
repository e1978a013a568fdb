import { Button, Group } from '@mantine/core'
import { api } from '#api/client.ts'
import { useRead, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { saveFile } from '#parts/list/list-bar.tsx'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { Money } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './usage-text.ts'

type Head = OutputOf<'listStatements'>['items'][number]

/** Monthly statements for download. */
export const Statements = () => {
  const say = useText(text)
  const statements = useRead('listStatements')
  const columns: Column<Head>[] = [
    { key: 'month', header: say.month, cell: ({ month }) => month },
    { key: 'number', header: say.number, cell: ({ kind, number }) => `${say.kind[kind]} ${number}` },
    {
      key: 'spent',
      header: say.spent,
      align: 'right',
      value: ({ spent }) => spent / 10_000,
      cell: ({ spent, currency }) => <Money amount={spent} currency={currency} />,
    },
    {
      key: 'closing',
      header: say.closing,
      align: 'right',
      value: ({ closing }) => closing / 10_000,
      cell: ({ closing, currency }) => <Money amount={closing} currency={currency} />,
    },
  ]
  return (
    <Section title={say.statements} description={say.statementsHint} flush>
      <List
        query={statements}
        name="statements"
        label={say.statements}
        columns={columns}
        rowKey={({ month }) => month}
        rowActions={({ month, kind }) => <Files month={month} name={`${kind.toLowerCase()}-${month}`} />}
        empty={
          <EmptyState icon="wallet" title={say.noStatements}>
            {say.noStatementsHint}
          </EmptyState>
        }
      />
    </Section>
  )
}

const Files = ({ month, name }: { month: string; name: string }) => {
  const say = useText(text)
  const toast = useToast()
  const save = async (type: 'application/pdf' | 'text/csv'): Promise<void> => {
    try {
      const content = await (type === 'text/csv' ? api.getStatementCsv({ month }) : api.getStatementPdf({ month }))
      saveFile(`${name}.${type === 'text/csv' ? 'csv' : 'pdf'}`, new Blob([new Uint8Array(content)], { type }))
    } catch (error) {
      toast.failed(error)
    }
  }
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button size="compact-sm" variant="subtle" aria-label={say.pdf(month)} onClick={() => void save('application/pdf')}>
        PDF
      </Button>
      <Button size="compact-sm" variant="subtle" aria-label={say.csv(month)} onClick={() => void save('text/csv')}>
        CSV
      </Button>
    </Group>
  )
}
