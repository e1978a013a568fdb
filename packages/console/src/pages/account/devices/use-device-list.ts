import { api } from '#api/client.ts'
import { useMay } from '#api/use-may.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { BulkAction, Filter } from '#parts/list/columns.ts'
import { useBulk } from '#parts/list/use-bulk.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import type { Device } from './device-state.tsx'
import { text } from './text.ts'
import { deviceReads } from './use-delete-device.ts'

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

/** What can be done with several devices at once. */
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
