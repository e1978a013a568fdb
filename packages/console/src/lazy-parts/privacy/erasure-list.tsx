import type { UseQueryResult } from '@tanstack/react-query'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useErasureColumns, useSubjectWords, type Erasure, type NameOf } from './use-request-columns.tsx'

interface ErasureListProps {
  query: UseQueryResult<{ items: Erasure[] }>
  nameOf: NameOf
  asOperator?: boolean
  /** Placed before the others. */
  firstColumns?: Column<Erasure>[]
}

export const ErasureList = ({ query, nameOf, asOperator = false, firstColumns = [] }: ErasureListProps) => {
  const say = useText(text)
  const columns = [...firstColumns, ...useErasureColumns(nameOf)]
  const wordsOf = useSubjectWords(nameOf)
  return (
    <Section title={say.erasures} description={say.erasuresHint} flush>
      <List
        name="erasures"
        label={say.erasures}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(one) => <Actions one={one} name={wordsOf(one)} asOperator={asOperator} />}
        empty={<EmptyState icon="trash" title={say.noErasures} />}
      />
    </Section>
  )
}

/** Only the operator can cancel the operator's erasures. */
const Actions = ({ one: { id, state, requestedBy }, name, asOperator }: { one: Erasure; name: string; asOperator: boolean }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const onDone = (): void => toast.done(say.cancelled)
  const ofUser = useWrite('cancelErasure', { refreshes: ['listErasures'], onDone })
  const ofOperator = useWrite('cancelAccountErasure', { refreshes: ['listAccountErasures'], onDone })
  const cancel = asOperator ? ofOperator : ofUser
  if (state !== 'SCHEDULED' || (!asOperator && requestedBy.startsWith('operator:'))) return null
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.cancelTitle, body: say.cancelBody, confirm: say.cancelErasure, danger: false }))
      cancel.mutate([{ erasureId: id }], { onError: (error) => toast.failed(error) })
  }
  return <RowMenu label={say.actionsFor(name)} actions={[{ label: say.cancelErasure, icon: 'arrowLeft', onClick: () => void ask() }]} />
}
