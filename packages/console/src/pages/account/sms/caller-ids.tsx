import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OperationId } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { text as accountText } from '../parts/text.ts'
import { AddCallerId, VerifyCallerId, type CallerId } from './caller-id-forms.tsx'
import type { LineId } from './line-id.ts'
import { text } from './text.ts'

const refreshes: readonly OperationId[] = ['listSmsCallerIds', 'listSms']

/** Numbers in whose name a line may write. */
export const CallerIds = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const callerIds = useRead('listSmsCallerIds', { ...line })
  const [adding, setAdding] = useState(false)
  const [verifying, setVerifying] = useState<CallerId>()
  const actionsOf = useRowActions(line, setVerifying)
  const columns: Column<CallerId>[] = [
    {
      key: 'number',
      header: say.number,
      value: ({ phonenumber }) => phonenumber,
      cell: ({ phonenumber }) => <PhoneNumber number={phonenumber} />,
    },
    { key: 'state', header: say.state, cell: (callerId) => <CallerIdState callerId={callerId} /> },
  ]
  const add = mayChange && (
    <AddButton variant="default" onClick={() => setAdding(true)}>
      {say.addCallerId}
    </AddButton>
  )
  return (
    <Section title={say.callerIds} description={say.callerIdsHint} actions={add} flush>
      <List
        name="callerIds"
        query={callerIds}
        label={say.callerIds}
        columns={columns}
        rowKey={({ id }) => id}
        {...(mayChange && { rowActions: actionsOf })}
        empty={
          <NothingHere icon="message" title={say.noCallerId}>
            {say.noCallerIdHint}
          </NothingHere>
        }
      />
      {adding && <AddCallerId line={line} onAdded={setVerifying} onClose={() => setAdding(false)} />}
      {verifying && <VerifyCallerId line={line} callerId={verifying} onClose={() => setVerifying(undefined)} />}
    </Section>
  )
}

const CallerIdState = ({ callerId: { verified, defaultNumber } }: { callerId: CallerId }) => {
  const say = useText(text)
  return (
    <Group gap="xs">
      <StatusBadge tone={verified ? 'good' : 'warning'}>{verified ? say.verified : say.unverified}</StatusBadge>
      {defaultNumber && <StatusBadge tone="busy">{say.isDefault}</StatusBadge>}
    </Group>
  )
}

const useRowActions = (line: LineId, onVerify: (callerId: CallerId) => void) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const { phone } = useFormat()
  const change = useWrite('changeSmsCallerId', { refreshes, onDone: () => toast.done(account.saved) })
  const remove = useWrite('deleteSmsCallerId', { refreshes, onDone: () => toast.done(account.deleted) })
  const askRemove = async ({ id, phonenumber }: CallerId): Promise<void> => {
    const question = { title: say.removeTitle(phone(phonenumber)), body: say.removeBody, confirm: say.removeConfirm }
    if (await confirm(question)) remove.mutate([{ ...line, callerIdId: id }], { onError: toast.failed })
  }
  return (callerId: CallerId) => {
    const { id: callerIdId, verified, defaultNumber } = callerId
    const prefer: MenuAction = {
      label: defaultNumber ? say.noDefault : say.makeDefault,
      icon: 'star',
      onClick: () => change.mutate([{ ...line, callerIdId }, { defaultNumber: !defaultNumber }], { onError: toast.failed }),
    }
    const actions: MenuAction[] = [
      ...(verified ? [prefer] : []),
      { label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(callerId) },
    ]
    return (
      <Group gap={4} justify="flex-end" wrap="nowrap">
        {!verified && (
          <Button size="xs" variant="default" onClick={() => onVerify(callerId)}>
            {say.verify}
          </Button>
        )}
        <RowMenu label={account.actionsFor(phone(callerId.phonenumber))} actions={actions} />
      </Group>
    )
  }
}
