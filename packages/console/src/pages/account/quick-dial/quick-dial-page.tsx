import { useState, type ReactNode } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
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
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { TargetPicker } from '../parts/target-picker.tsx'
import { useTarget } from '../parts/target-picker.tsx'
import { Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { api, ApiError } from '#api/client.ts'
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

export type QuickDial = OutputOf<'listNumbers'>['items'][number]

const refreshes = ['listNumbers', 'listUserNumbers', 'listPhonelineNumbers', 'listGroupNumbers', 'listInternalContacts'] as const

/** A new quick dial, or a changed number or target. */
export const QuickDialForm = ({ quickDial, onClose }: { quickDial?: QuickDial | undefined; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const [number, setNumber] = useState(quickDial?.number ?? '')
  const target = useTarget(quickDial ?? { endpointId: '', endpointUrl: '' }, 'line')
  const done = (): void => {
    toast.done(quickDial ? saved : say.added(number))
    onClose()
  }
  const add = useWrite('addQuickDial', { refreshes, onDone: done })
  const change = useWrite('changeQuickDial', { refreshes, onDone: done })
  const write = quickDial ? change : add
  const submit = (): void => {
    const input = { userId: target.endpointId, number }
    if (quickDial) change.mutate([{ quickdialId: quickDial.id }, input])
    else add.mutate([{}, input])
  }
  return (
    <FormModal
      opened
      title={quickDial ? say.editTitle(quickDial.number) : say.addTitle}
      onClose={onClose}
      onSubmit={submit}
      disabled={number.length < 2 || target.endpointId === ''}
      pending={write.isPending}
      error={write.error}
    >
      <QuickDialField value={number} own={quickDial?.number} onChange={setNumber} error={fieldProblem(write.error, 'number')} />
      <TargetPicker target={target} kinds={['line', 'group']} error={fieldProblem(write.error, 'userId')} />
    </FormModal>
  )
}

type Verdict = 'free' | 'taken' | 'refused'

const ask = async (quickDialNumber: string): Promise<Verdict> => {
  try {
    await api.validateQuickDial({ quickDialNumber })
    return 'free'
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return 'taken'
    if (error instanceof ApiError && error.status === 400) return 'refused'
    throw error
  }
}

/** Checks the availability of a short number when the user stops typing. Skips the current one. */
const useVerdict = (number: string, own: string | undefined): Verdict | 'checking' | undefined => {
  const [typed] = useDebouncedValue(number, 250)
  const wanted = number.length >= 2 && number !== own
  const { data } = useQuery({
    queryKey: ['validateQuickDial', typed],
    queryFn: () => ask(typed),
    enabled: wanted && typed === number,
    staleTime: 0,
  })
  if (!wanted) return undefined
  return typed === number && data !== undefined ? data : 'checking'
}

export interface QuickDialFieldProps {
  value: string
  /** Its current number. */
  own?: string | undefined
  onChange: (value: string) => void
  error?: ReactNode
}

export const QuickDialField = ({ value, own, onChange, error }: QuickDialFieldProps) => {
  const say = useText(text)
  const verdict = useVerdict(value, own)
  const bad = verdict === 'taken' || verdict === 'refused'
  return (
    <div>
      <TextInput
        label={say.number}
        description={say.rules}
        inputMode="numeric"
        autoComplete="off"
        maxLength={5}
        data-autofocus
        value={value}
        onChange={(event) => onChange(event.currentTarget.value.replaceAll(/\D/g, ''))}
        error={bad ? say[verdict] : error}
      />
      <Text size="xs" c="dimmed" mt={4} mih={bad ? 0 : 18} role="status">
        {verdict === 'free' || verdict === 'checking' ? say[verdict] : ''}
      </Text>
    </div>
  )
}
