import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { EndpointLabel } from '../parts/endpoint-label.tsx'
import { text as accountText } from '../parts/text.ts'
import { QuickDialForm, type QuickDial } from './quick-dial-form.tsx'
import { text } from './text.ts'

type Opened = { quickDial?: QuickDial }

export const QuickDialPage = () => {
  const say = useText(text)
  const { leadsTo } = useText(accountText)
  const may = useMay()
  const numbers = useRead('listNumbers')
  const [form, setForm] = useState<Opened>()
  const actionsOf = useRowActions((quickDial) => setForm({ quickDial }))
  const columns: Column<QuickDial>[] = [
    { key: 'number', header: say.number, value: ({ number }) => number, cell: ({ number }) => <strong>{number}</strong> },
    {
      key: 'leadsTo',
      header: leadsTo,
      value: ({ endpointAlias }) => endpointAlias,
      cell: (quickDial) => <EndpointLabel routed={quickDial} />,
    },
  ]
  const change = may('CAN_CHANGE_QUICKDIAL')
  const add = <AddButton onClick={() => setForm({})}>{say.add}</AddButton>
  return (
    <Page title={say.title} description={say.lead} actions={change && add}>
      <Section flush>
        <Loaded query={numbers}>
          {({ items }) => (
            <List
              label={say.title}
              rows={items.filter(({ type }) => type === 'QUICKDIAL').toSorted((a, b) => a.number.localeCompare(b.number))}
              columns={columns}
              rowKey={({ id }) => id}
              {...(change && { rowActions: actionsOf })}
              empty={
                <EmptyState icon="keypad" title={say.empty}>
                  {change ? say.emptyAdmin : say.emptyUser}
                </EmptyState>
              }
            />
          )}
        </Loaded>
      </Section>
      {form && <QuickDialForm quickDial={form.quickDial} onClose={() => setForm(undefined)} />}
    </Page>
  )
}

const useRowActions = (onEdit: (quickDial: QuickDial) => void) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteQuickDial', { refreshes: ['listNumbers'], onDone: () => toast.done(account.deleted) })
  const askRemove = async ({ id, number, endpointAlias }: QuickDial): Promise<void> => {
    const question = { title: say.deleteTitle(number), body: say.deleteBody(endpointAlias), confirm: say.deleteConfirm }
    if (await confirm(question)) remove.mutate([{ numberId: id }], { onError: (error) => toast.failed(error) })
  }
  return (quickDial: QuickDial) => (
    <RowMenu
      label={account.actionsFor(quickDial.number)}
      actions={[
        { label: account.edit, icon: 'edit', onClick: () => onEdit(quickDial) },
        { label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(quickDial) },
      ]}
    />
  )
}
