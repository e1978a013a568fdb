import { Button } from '@mantine/core'
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
import { AddDevice } from './add-device.tsx'
import { text } from './telephone-text.ts'
import { useUserName } from './use-user-name.ts'

type Device = OutputOf<'listAccountDevices'>['items'][number]

/** Their logins are the customer's: the operator sees only what there is. */
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
