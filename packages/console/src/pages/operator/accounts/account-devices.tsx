import { Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as phoneText } from '#pages/account/parts/text.ts'
import { text as sharedText } from '../parts/text.ts'
import { text } from './telephone-text.ts'
import { useUserName } from './account-groups.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { fullName } from '#lazy-parts/people.ts'

type Device = OutputOf<'listAccountDevices'>['items'][number]

/** Without credentials, which belong to the customer: the operator only sees the list. */
export const AccountDevices = ({ accountId }: { accountId: string }) => {
  const say = useText(text)
  const devices = useRead('listAccountDevices', { accountId }, { every: 15_000 })
  const [adding, setAdding] = useState(false)
  const columns = useColumns(accountId)
  return (
    <Section
      title={say.devices}
      description={say.devicesHint}
      flush
      actions={
        <Button size="xs" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
          {say.addDevice}
        </Button>
      }
    >
      <List
        name="devices"
        query={devices}
        label={say.devices}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(device) => <DeviceMenu device={device} />}
        empty={
          <EmptyState icon="phone" title={say.noDevice}>
            {say.noDeviceHint}
          </EmptyState>
        }
      />
      {adding && <AddDevice accountId={accountId} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const useColumns = (accountId: string): Column<Device>[] => {
  const say = useText(text)
  const { deviceTypes } = useText(phoneText)
  const userName = useUserName(accountId)
  return [
    { key: 'alias', header: say.name, cell: ({ alias }) => alias },
    { key: 'type', header: say.type, cell: ({ type }) => deviceTypes[type] },
    { key: 'user', header: say.user, cell: ({ userId }) => userName(userId) },
    {
      key: 'state',
      header: say.state,
      cell: ({ online, dnd }) => (
        <StatusBadge tone={online ? (dnd ? 'warning' : 'good') : 'quiet'}>
          {online ? (dnd ? say.states.dnd : say.states.online) : say.states.offline}
        </StatusBadge>
      ),
    },
  ]
}

const DeviceMenu = ({ device: { accountId, id: deviceId, alias } }: { device: Device }) => {
  const say = useText(text)
  const { actionsFor, remove: removeWord } = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const remove = useWrite('deleteAccountDevice', { refreshes: ['listAccountDevices'], onDone: () => toast.done(say.deviceRemoved) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.removeTitle(alias), body: say.removeDeviceBody, confirm: removeWord }))
      remove.mutate([{ accountId, deviceId }], { onError: toast.failed })
  }
  return <RowMenu label={actionsFor(alias)} actions={[{ label: removeWord, icon: 'trash', onClick: () => void ask(), danger: true }]} />
}

const types = ['REGISTER', 'MOBILE', 'EXTERNAL'] as const

interface DeviceInput {
  userId: string
  type: (typeof types)[number]
  alias: string
  number: string
}

/** A device for one of the account's users. */
const AddDevice = ({ accountId, onClose }: { accountId: string; onClose: () => void }) => {
  const say = useText(text)
  const { deviceTypes } = useText(phoneText)
  const toast = useToast()
  const users = useRead('listAccountUsers', { accountId }).data?.items ?? []
  const create = useWrite('createAccountDevice', {
    refreshes: ['listAccountDevices'],
    onDone: () => {
      toast.done(say.deviceAdded)
      onClose()
    },
  })
  const form = useForm<DeviceInput>({ userId: users[0]?.id ?? '', type: 'REGISTER', alias: '', number: '' }, create.error)
  const { userId, type, alias, number } = form.values
  const submit = (): void => create.mutate([{}, { accountId, userId, type, alias, ...(type === 'EXTERNAL' && { number }) }])
  return (
    <FormModal
      opened
      title={say.addDevice}
      onClose={onClose}
      onSubmit={submit}
      submit={say.addDevice}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={say.name} required maxLength={100} data-autofocus {...form.text('alias')} />
      <Select
        label={say.user}
        description={say.userHint}
        required
        allowDeselect={false}
        searchable={users.length > 8}
        data={users.map((user) => ({ value: user.id, label: fullName(user) }))}
        {...form.value('userId')}
      />
      <Select
        label={say.type}
        allowDeselect={false}
        data={types.map((value) => ({ value, label: deviceTypes[value] }))}
        {...form.value('type')}
      />
      {type === 'EXTERNAL' && <TextInput label={say.externalNumber} type="tel" required maxLength={40} {...form.text('number')} />}
    </FormModal>
  )
}
