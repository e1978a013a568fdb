import type { UseQueryResult } from '@tanstack/react-query'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useExportColumns, useSubjectWords, type DataExport, type NameOf } from './use-request-columns.tsx'
import { refusal } from '@offhook/sdk/client-of.ts'
import { fetchAsRole } from '#api/client.ts'
import { saveFile } from '#parts/list/list-bar.tsx'

interface ExportListProps {
  query: UseQueryResult<{ items: DataExport[] }>
  nameOf: NameOf
  asOperator?: boolean
  /** Placed before the others. */
  firstColumns?: Column<DataExport>[]
}

export const ExportList = ({ query, nameOf, asOperator = false, firstColumns = [] }: ExportListProps) => {
  const say = useText(text)
  const columns = [...firstColumns, ...useExportColumns(nameOf)]
  const wordsOf = useSubjectWords(nameOf)
  return (
    <Section title={say.exports} description={say.exportsHint} flush>
      <List
        name="exports"
        label={say.exports}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(one) => <Actions one={one} name={wordsOf(one)} asOperator={asOperator} />}
        empty={<EmptyState icon="download" title={say.noExports} />}
      />
    </Section>
  )
}

const Actions = ({ one, name, asOperator }: { one: DataExport; name: string; asOperator: boolean }) => {
  const say = useText(text)
  const toast = useToast()
  const onDone = (): void => toast.done(say.exportDeleted)
  const ofUser = useWrite('deleteDataExport', { refreshes: ['listDataExports'], onDone })
  const ofOperator = useWrite('deleteAccountExport', { refreshes: ['listAccountExports'], onDone })
  const remove = asOperator ? ofOperator : ofUser
  const fail = (error: unknown): void => toast.failed(error)
  return (
    <RowMenu
      label={say.actionsFor(name)}
      actions={[
        {
          label: say.download,
          icon: 'download',
          disabled: one.state !== 'READY',
          onClick: () => void saveArchive(asOperator ? '/operator/v1' : '/v1', one).catch(fail),
        },
        { label: say.deleteExport, icon: 'trash', danger: true, onClick: () => remove.mutate([{ exportId: one.id }], { onError: fail }) },
      ]}
    />
  )
}

/** As a blob, which the browser stores on disk if large. */
const saveArchive = async (base: '/v1' | '/operator/v1', { id, requestedAt }: { id: string; requestedAt: string }): Promise<void> => {
  const reply = await fetchAsRole(`${base}/privacy/exports/${id}/archive`)
  if (!reply.ok) throw await refusal(reply)
  saveFile(`export-${requestedAt.slice(0, 10)}.tar`, await reply.blob())
}
