import { Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { text as accountText } from '../parts/text.ts'
import { useDestinationNames, DestinationField, useDestination } from './destination.tsx'
import { text } from './forwarding-text.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'

/** A phone line and its user, as in the service's paths. */
export interface LineId {
  userId: string
  phonelineId: string
}

/** Destinations that ring together with the devices of a line. */
export const ParallelForwardings = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const along = useRead('listParallelForwardings', { ...line })
  const [form, setForm] = useState<{ one?: ParallelForwarding }>()
  const columns = useColumns(line, along.data?.items ?? [], mayChange)
  const actionsOf = useRowActions(line, (one) => setForm({ one }))
  const add = mayChange && (
    <AddButton variant="default" onClick={() => setForm({})}>
      {say.parallelAdd}
    </AddButton>
  )
  return (
    <Section title={say.parallelTitle} description={say.parallelHint} actions={add} flush>
      <List
        name="parallel"
        query={along}
        label={say.parallelTitle}
        columns={columns}
        rowKey={({ id }) => id}
        {...(mayChange && { rowActions: actionsOf })}
        empty={
          <NothingHere icon="shuffle" title={say.parallelEmpty}>
            {say.parallelEmptyHint}
          </NothingHere>
        }
      />
      {form && <ParallelForwardingForm line={line} one={form.one} onClose={() => setForm(undefined)} />}
    </Section>
  )
}

const useColumns = (line: LineId, list: ParallelForwarding[], mayChange: boolean): Column<ParallelForwarding>[] => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const nameOf = useDestinationNames(list.map(({ destination }) => destination))
  const change = useWrite('changeParallelForwarding', { refreshes, onDone: () => toast.done(saved) })
  const switchOn = (parallelForwardingId: string, active: boolean): void =>
    change.mutate([{ ...line, parallelForwardingId }, { active }], { onError: (error) => toast.failed(error) })
  return [
    { key: 'alias', header: say.name, cell: ({ alias }) => alias },
    { key: 'destination', header: say.destination, cell: ({ destination }) => nameOf(destination) },
    {
      key: 'active',
      header: say.active,
      cell: ({ id, alias, active }) => (
        <Switch
          aria-label={say.activeOf(alias)}
          checked={active}
          disabled={!mayChange || change.isPending}
          onChange={(event) => switchOn(id, event.currentTarget.checked)}
        />
      ),
    },
  ]
}

const useRowActions = (line: LineId, onEdit: (one: ParallelForwarding) => void) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteParallelForwarding', { refreshes, onDone: () => toast.done(account.deleted) })
  const askRemove = async ({ id, alias }: ParallelForwarding): Promise<void> => {
    const question = { title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.deleteConfirm }
    if (await confirm(question)) remove.mutate([{ ...line, parallelForwardingId: id }], { onError: (error) => toast.failed(error) })
  }
  return (one: ParallelForwarding) => (
    <RowMenu
      label={account.actionsFor(one.alias)}
      actions={[
        { label: account.edit, icon: 'edit', onClick: () => onEdit(one) },
        { label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(one) },
      ]}
    />
  )
}

type ParallelForwarding = OutputOf<'listParallelForwardings'>['items'][number]

const refreshes = ['listParallelForwardings'] as const

const ParallelForwardingForm = ({ line, one, onClose }: { line: LineId; one: ParallelForwarding | undefined; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const done = (): void => {
    toast.done(saved)
    onClose()
  }
  const create = useWrite('createParallelForwarding', { refreshes, onDone: done })
  const change = useWrite('changeParallelForwarding', { refreshes, onDone: done })
  const write = one ? change : create
  const form = useForm({ alias: one?.alias ?? '' }, write.error)
  const destination = useDestination(one?.destination ?? '')
  const submit = (): void => {
    const input = { alias: form.values.alias, destination: destination.value }
    if (one) change.mutate([{ ...line, parallelForwardingId: one.id }, input])
    else create.mutate([{ ...line }, { ...input, active: true }])
  }
  return (
    <FormModal
      opened
      title={one ? say.parallelEditTitle : say.parallelAddTitle}
      onClose={onClose}
      onSubmit={submit}
      pending={write.isPending}
      error={write.error}
    >
      <TextInput label={say.name} placeholder={say.nameHint} required maxLength={100} data-autofocus {...form.text('alias')} />
      <DestinationField of={destination} parallel error={fieldProblem(write.error, 'destination')} />
    </FormModal>
  )
}
