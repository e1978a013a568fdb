import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OperationId, type OutputOf } from '#api/use-service.ts'
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
import type { LineId } from './smpp-login.tsx'
import { text } from './text.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'

const refreshes: readonly OperationId[] = ['listSmsCallerIds', 'listSms']

/** Verified sender numbers of a line. */
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

type CallerId = OutputOf<'listSmsCallerIds'>['items'][number]

interface AddCallerIdProps {
  line: LineId
  /** The code is requested next. */
  onAdded: (callerId: CallerId) => void
  onClose: () => void
}

const AddCallerId = ({ line, onAdded, onClose }: AddCallerIdProps) => {
  const say = useText(text)
  const add = useWrite('createSmsCallerId', {
    refreshes: ['listSmsCallerIds'],
    onDone: (callerId) => {
      onClose()
      if (!callerId.verified) onAdded(callerId)
    },
  })
  const form = useForm({ phonenumber: '' }, add.error)
  return (
    <FormModal
      opened
      title={say.addCallerId}
      submit={say.sendCode}
      onClose={onClose}
      onSubmit={() => add.mutate([{ ...line }, form.values])}
      pending={add.isPending}
      error={add.error}
    >
      <TextInput
        label={say.number}
        description={say.numberHint}
        placeholder="+49 151 1234567"
        type="tel"
        required
        maxLength={40}
        data-autofocus
        {...form.text('phonenumber')}
      />
    </FormModal>
  )
}

const VerifyCallerId = ({ line, callerId, onClose }: { line: LineId; callerId: CallerId; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const { phone } = useFormat()
  const verify = useWrite('verifySmsCallerId', {
    refreshes: ['listSmsCallerIds', 'listSms'],
    onDone: () => {
      toast.done(say.confirmed)
      onClose()
    },
  })
  const again = useWrite('createSmsCallerId', { onDone: () => toast.done(say.codeSent) })
  const form = useForm({ code: '' }, verify.error)
  return (
    <FormModal
      opened
      title={say.verifyTitle(phone(callerId.phonenumber))}
      submit={say.confirm}
      onClose={onClose}
      onSubmit={() => verify.mutate([{ ...line, callerIdId: callerId.id }, { code: form.values.code.trim() }])}
      pending={verify.isPending}
      error={verify.error ?? again.error}
    >
      <TextInput
        label={say.code}
        description={say.codeHint}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        maxLength={16}
        data-autofocus
        {...form.text('code')}
      />
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          loading={again.isPending}
          onClick={() => again.mutate([{ ...line }, { phonenumber: callerId.phonenumber }])}
        >
          {say.codeAgain}
        </Button>
      </div>
    </FormModal>
  )
}
