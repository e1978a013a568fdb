import { Group, Text, Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OperationId, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column, BulkAction, Filter } from '#parts/list/columns.ts'
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
import { text } from './text.ts'
import { api } from '#api/client.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useBulk } from '#parts/list/use-bulk.ts'
import { useLocation } from 'wouter'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'

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

export const useDeviceFilters = (): Filter<Device>[] => {
  const say = useText(text)
  const { deviceTypes } = useText(accountText)
  const types = Object.entries(deviceTypes).map(([value, label]) => ({ value, label }))
  const states = [
    { value: 'online', label: say.online },
    { value: 'offline', label: say.offline },
    { value: 'dnd', label: say.dnd },
  ]
  return [
    { key: 'type', label: say.type, options: types, fits: ({ type }, wanted) => type === wanted },
    {
      key: 'state',
      label: say.state,
      options: states,
      fits: (device, wanted) => (wanted === 'dnd' ? device.dnd : device.online === (wanted === 'online')),
    },
  ]
}

/** Bulk actions for devices. */
export const useDeviceBulk = (): BulkAction<Device>[] => {
  const say = useText(text)
  const account = useText(accountText)
  const may = useMay()
  const confirm = useConfirm()
  const doAll = useBulk(deviceReads)
  const setDnd = (dnd: boolean) => (devices: readonly Device[]) => doAll(devices, ({ id }) => api.changeDevice({ deviceId: id }, { dnd }))
  const remove = async (devices: readonly Device[]): Promise<void> => {
    const question = { title: say.deleteManyTitle(devices.length), body: say.deleteBody, confirm: say.deleteMany }
    if (await confirm(question)) await doAll(devices, ({ id }) => api.deleteDevice({ deviceId: id }))
  }
  return [
    ...(may('CAN_CHANGE_DEVICES')
      ? [
          { label: say.dndOn, run: setDnd(true) },
          { label: say.dndOff, run: setDnd(false) },
        ]
      : []),
    ...(may('CAN_DELETE_DEVICES') ? [{ label: account.remove, danger: true, run: remove }] : []),
  ]
}

/** The browser phone is created automatically. */
type DeviceType = Exclude<Device['type'], 'BROWSER'>

const creations = [
  ['REGISTER', 'CAN_CREATE_REGISTER_DEVICE'],
  ['MOBILE', 'CAN_CREATE_MOBILE_DEVICE'],
  ['EXTERNAL', 'CAN_CREATE_EXTERNAL_DEVICE'],
] as const

/** Device types that can be added. */
export const useDeviceTypes = (): DeviceType[] => {
  const may = useMay()
  return creations.flatMap(([type, needed]) => (may(needed) ? [type] : []))
}

/** Opens a new device immediately, because set-up comes next. */
export const NewDevice = ({ userId, onClose }: { userId: string; onClose: () => void }) => {
  const say = useText(text)
  const { deviceTypes } = useText(accountText)
  const toast = useToast()
  const types = useDeviceTypes()
  const [, go] = useLocation()
  const create = useWrite('createUserDevice', {
    refreshes: ['listUserDevices', 'listPhonelineDevices', 'listUsers'],
    onDone: ({ id, alias }) => {
      toast.done(say.created(alias))
      go(`/devices/${id}`)
    },
  })
  const form = useForm({ type: types[0] ?? 'REGISTER', alias: '', number: '' }, create.error)
  const { type, alias, number } = form.values
  const submit = (): void => create.mutate([{ userId }, { type, alias, ...(type === 'EXTERNAL' && { number }) }])
  return (
    <FormModal
      opened
      title={say.addTitle}
      submit={say.create}
      onClose={onClose}
      onSubmit={submit}
      pending={create.isPending}
      error={create.error}
    >
      <Radio.Group label={say.type} value={type} onChange={(chosen) => form.set('type', chosen)}>
        <Stack gap="sm" mt={6}>
          {types.map((one) => (
            <Radio key={one} value={one} label={deviceTypes[one]} description={say.typeHints[one]} />
          ))}
        </Stack>
      </Radio.Group>
      <TextInput label={say.alias} placeholder={say.aliasHint} required maxLength={100} data-autofocus {...form.text('alias')} />
      {type === 'EXTERNAL' && (
        <TextInput label={say.externalNumber} placeholder="+49 30 1234567" type="tel" required maxLength={40} {...form.text('number')} />
      )}
    </FormModal>
  )
}

/** Reads affected by a device change. */
export const deviceReads: readonly OperationId[] = ['listUserDevices', 'listPhonelineDevices', 'listGroupDevices', 'listUsers']

/** Asks for confirmation. */
export const useDeleteDevice = (onDone?: () => void): ((device: Device) => Promise<void>) => {
  const say = useText(text)
  const { deleted } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteDevice', {
    refreshes: deviceReads,
    onDone: () => {
      toast.done(deleted)
      onDone?.()
    },
  })
  return async ({ id, alias }) => {
    const question = { title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.deleteConfirm }
    if (await confirm(question)) remove.mutate([{ deviceId: id }], { onError: (error) => toast.failed(error) })
  }
}

export type Device = OutputOf<'listUserDevices'>['items'][number]
export type RegisterDevice = Extract<Device, { type: 'REGISTER' }>
export type MobileDevice = Extract<Device, { type: 'MOBILE' }>
export type ExternalDevice = Extract<Device, { type: 'EXTERNAL' }>

/** Whether it can ring now. */
export const DeviceState = ({ device }: { device: Device }) => {
  const stateOf = useStateOf()
  return (
    <Group gap={6} wrap="nowrap">
      {stateOf(device).map(({ tone, words }) => (
        <StatusBadge key={words} tone={tone}>
          {words}
        </StatusBadge>
      ))}
    </Group>
  )
}

/** In one word, or two. */
export const useStateOf = (): ((device: Device) => { tone: Tone; words: string }[]) => {
  const say = useText(text)
  const stateOf = (device: Device): { tone: Tone; words: string } => {
    if (device.type === 'MOBILE') return { tone: simTones[device.simState], words: say.simStates[device.simState] }
    const tone = device.online ? 'good' : 'quiet'
    return { tone, words: device.type === 'EXTERNAL' ? say.outside : device.online ? say.online : say.offline }
  }
  return (device) => [stateOf(device), ...(device.dnd ? [{ tone: 'warning' as const, words: say.dnd }] : [])]
}

const simTones: Record<MobileDevice['simState'], Tone> = { ACTIVE: 'good', PENDING: 'busy', INACTIVE: 'quiet' }
