import { Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { text as accountText } from '../parts/text.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { DeviceState, useStateOf, type Device } from './device-state.tsx'
import { NewDevice, useDeviceTypes } from './new-device.tsx'
import { text } from './text.ts'
import { useDeleteDevice } from './use-delete-device.ts'
import { useDeviceBulk, useDeviceFilters } from './use-device-list.ts'

export const DevicesPage = () => {
  const say = useText(text)
  const whose = useWhose()
  const { userId = '' } = whose
  const devices = useRead('listUserDevices', { userId }, { when: userId !== '', every: 10_000 })
  const [adding, setAdding] = useState(false)
  const owner = whose.users.find(({ id }) => id === userId)
  const columns = useColumns(owner?.defaultDevice)
  const actionsOf = useRowActions(userId, owner?.defaultDevice)
  const add = useDeviceTypes().length > 0 && <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>
  const actions = (
    <>
      <UserPicker whose={whose} />
      {add}
    </>
  )
  return (
    <Page title={say.title} description={say.lead} actions={actions}>
      <Section flush>
        <List
          query={devices}
          label={say.title}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/devices/${id}`}
          rowActions={actionsOf}
          filters={useDeviceFilters()}
          bulk={useDeviceBulk()}
          empty={
            <EmptyState icon="device" title={say.empty}>
              {say.emptyBody}
            </EmptyState>
          }
        />
      </Section>
      {adding && <NewDevice userId={userId} onClose={() => setAdding(false)} />}
    </Page>
  )
}

const ringsFor = ({ activePhonelines, activeGroups }: Device): string =>
  [...activePhonelines, ...activeGroups].map(({ alias }) => alias).join(', ')

const useColumns = (defaultDevice: string | undefined): Column<Device>[] => {
  const say = useText(text)
  const { deviceTypes } = useText(accountText)
  const stateOf = useStateOf()
  return [
    {
      key: 'alias',
      header: say.device,
      value: ({ alias }) => alias,
      cell: ({ id, alias }) => (
        <Group gap={6} component="span" wrap="nowrap">
          {alias}
          {id === defaultDevice && <Icon name="star" size={14} label={say.defaultDevice} />}
        </Group>
      ),
    },
    { key: 'type', header: say.type, cell: ({ type }) => deviceTypes[type] },
    {
      key: 'state',
      header: say.state,
      value: (device) =>
        stateOf(device)
          .map(({ words }) => words)
          .join(', '),
      cell: (device) => <DeviceState device={device} />,
    },
    {
      key: 'ringsFor',
      header: say.ringsFor,
      value: ringsFor,
      cell: (device) =>
        ringsFor(device) || (
          <Text span inherit c="dimmed">
            {say.nothing}
          </Text>
        ),
    },
  ]
}

const useRowActions = (userId: string, defaultDevice: string | undefined) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const may = useMay()
  const remove = useDeleteDevice()
  const choose = useWrite('setDefaultDevice', { refreshes: ['listUsers', 'getUser'], onDone: () => toast.done(account.saved) })
  return (device: Device) => {
    const makeDefault: MenuAction = {
      label: say.makeDefault,
      icon: 'star',
      onClick: () => choose.mutate([{ userId }, { deviceId: device.id }], { onError: (error) => toast.failed(error) }),
    }
    const actions: MenuAction[] = [
      ...(may('CAN_CHANGE_DEFAULT_DEVICE') && device.id !== defaultDevice ? [makeDefault] : []),
      ...(may('CAN_DELETE_DEVICES')
        ? [{ label: account.remove, icon: 'trash' as const, danger: true, onClick: () => void remove(device) }]
        : []),
    ]
    return actions.length === 0 ? null : <RowMenu label={account.actionsFor(device.alias)} actions={actions} />
  }
}
