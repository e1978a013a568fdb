import { useWrite, type OperationId } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import type { Device } from './device-state.tsx'
import { text } from './text.ts'

/** Reads that say something else when a device changes. */
export const deviceReads: readonly OperationId[] = ['listUserDevices', 'listPhonelineDevices', 'listGroupDevices', 'listUsers']

/** Asks first. */
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
