import { Switch } from '@mantine/core'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { useDestinationNames } from './destination.tsx'
import { text } from './forwarding-text.ts'
import type { LineId } from './line-id.ts'
import { type Forwarding, useReplaceForwardings, forwardingOrNew } from './use-replace-forwardings.ts'

interface Row extends Forwarding {
  place: number
}

export const useForwardingColumns = (line: LineId, list: Forwarding[], mayChange: boolean): Column<Row>[] => {
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

export const useForwardingActions = (line: LineId, list: Forwarding[], onEdit: (place: number) => void) => {
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
