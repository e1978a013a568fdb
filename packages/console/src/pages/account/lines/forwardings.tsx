import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { List } from '#parts/list/list.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { text } from './forwarding-text.ts'
import type { LineId } from './parallel-forwardings.tsx'
import { NumberInput, Switch } from '@mantine/core'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { DestinationField, useDestination, useDestinationNames } from './destination.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { text as accountText } from '../parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'

const maxForwardings = 10

/** The list is small, and the service stores it as a whole: every change sends it all. */
export const Forwardings = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const forwardings = useRead('listForwardings', { ...line })
  const [edited, setEdited] = useState<number>()
  const list = forwardings.data?.items ?? []
  const columns = useForwardingColumns(line, list, mayChange)
  const actionsOf = useForwardingActions(line, list, setEdited)
  const add = mayChange && list.length < maxForwardings && (
    <AddButton variant="default" onClick={() => setEdited(list.length)}>
      {say.add}
    </AddButton>
  )
  return (
    <Section title={say.title} description={say.hint} actions={add} flush>
      <Loaded query={forwardings}>
        {({ items }) => (
          <List
            name="forwardings"
            label={say.title}
            rows={items.map((forwarding, place) => ({ ...forwarding, place }))}
            columns={columns}
            rowKey={({ place }) => String(place)}
            {...(mayChange && { rowActions: actionsOf })}
            empty={
              <NothingHere icon="forward" title={say.empty}>
                {say.emptyHint}
              </NothingHere>
            }
          />
        )}
      </Loaded>
      {edited !== undefined && <ForwardingForm line={line} list={list} place={edited} onClose={() => setEdited(undefined)} />}
    </Section>
  )
}

const ForwardingForm = ({ line, list, place, onClose }: { line: LineId; list: Forwarding[]; place: number; onClose: () => void }) => {
  const say = useText(text)
  const before = forwardingOrNew(list[place])
  const { send, pending, error } = useReplaceForwardings(line, onClose)
  const destination = useDestination(before.destination)
  const [timeout, setSeconds] = useState<number | string>(before.timeout)
  const submit = (): void => {
    const input = { destination: destination.value, timeout: Number(timeout), active: before.active }
    send(place === list.length ? [...list, input] : list.with(place, input))
  }
  return (
    <FormModal
      opened
      title={place === list.length ? say.addTitle : say.editTitle}
      onClose={onClose}
      onSubmit={submit}
      pending={pending}
      error={error}
    >
      <DestinationField of={destination} error={fieldProblem(error, `forwardings/${place}/destination`)} />
      <NumberInput
        label={say.timeout}
        description={say.timeoutHint}
        min={0}
        max={120}
        allowDecimal={false}
        value={timeout}
        onChange={setSeconds}
        error={fieldProblem(error, `forwardings/${place}/timeout`)}
      />
    </FormModal>
  )
}

interface Row extends Forwarding {
  place: number
}

const useForwardingColumns = (line: LineId, list: Forwarding[], mayChange: boolean): Column<Row>[] => {
  const say = useText(text)
  const nameOf = useDestinationNames(list.map(({ destination }) => destination))
  const { sendOrTell, pending } = useReplaceForwardings(line)
  const switchOn = (place: number, active: boolean): void => sendOrTell(list.with(place, { ...forwardingOrNew(list[place]), active }))
  return [
    { key: 'destination', header: say.destination, cell: ({ destination }) => nameOf(destination) },
    { key: 'after', header: say.after, cell: ({ timeout }) => say.afterSeconds(timeout) },
    {
      key: 'active',
      header: say.active,
      cell: ({ place, destination, active }) => (
        <Switch
          aria-label={say.activeOf(nameOf(destination))}
          checked={active}
          disabled={!mayChange || pending}
          onChange={(event) => switchOn(place, event.currentTarget.checked)}
        />
      ),
    },
  ]
}

const useForwardingActions = (line: LineId, list: Forwarding[], onEdit: (place: number) => void) => {
  const say = useText(text)
  const account = useText(accountText)
  const confirm = useConfirm()
  const nameOf = useDestinationNames(list.map(({ destination }) => destination))
  const { sendOrTell } = useReplaceForwardings(line)
  const move = (from: number, to: number): void => {
    const rest = list.toSpliced(from, 1)
    sendOrTell(rest.toSpliced(to, 0, forwardingOrNew(list[from])))
  }
  const askRemove = async ({ place, destination }: Row): Promise<void> => {
    const question = { title: say.deleteTitle(nameOf(destination)), body: say.deleteBody, confirm: say.deleteConfirm }
    if (await confirm(question)) sendOrTell(list.toSpliced(place, 1))
  }
  return (row: Row) => (
    <RowMenu
      label={account.actionsFor(nameOf(row.destination))}
      actions={[
        { label: account.edit, icon: 'edit', onClick: () => onEdit(row.place) },
        { label: say.up, icon: 'arrowUp', disabled: row.place === 0, onClick: () => move(row.place, row.place - 1) },
        { label: say.down, icon: 'arrowDown', disabled: row.place === list.length - 1, onClick: () => move(row.place, row.place + 1) },
        { label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(row) },
      ]}
    />
  )
}

type Forwarding = OutputOf<'listForwardings'>['items'][number]

const useReplaceForwardings = (line: LineId, onDone?: () => void) => {
  const { saved } = useText(accountText)
  const toast = useToast()
  const replace = useWrite('replaceForwardings', {
    refreshes: ['listForwardings'],
    onDone: () => {
      toast.done(saved)
      onDone?.()
    },
  })
  const send = (forwardings: Forwarding[]): void => replace.mutate([{ ...line }, { forwardings }])
  const sendOrTell = (forwardings: Forwarding[]): void =>
    replace.mutate([{ ...line }, { forwardings }], { onError: (error) => toast.failed(error) })
  return { send, sendOrTell, pending: replace.isPending, error: replace.error }
}

const forwardingOrNew = (forwarding: Forwarding | undefined): Forwarding => forwarding ?? { destination: '', timeout: 20, active: true }
