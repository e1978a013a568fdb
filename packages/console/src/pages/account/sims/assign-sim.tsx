import { TextInput } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { MobileDevice } from '../devices/device-state.tsx'
import { text } from './text.ts'

interface AssignSimProps {
  userId: string
  device: MobileDevice
  /** The card that was sent for this device. */
  sent: string | undefined
  onClose: () => void
}

/** Puts a card that has arrived to use. */
export const AssignSim = ({ userId, device, sent = '', onClose }: AssignSimProps) => {
  const say = useText(text)
  const toast = useToast()
  const assign = useWrite('assignSim', {
    refreshes: ['listSimOrders', 'listUserDevices', 'getDevice'],
    onDone: () => {
      toast.done(say.assigned)
      onClose()
    },
  })
  const form = useForm({ simId: sent }, assign.error)
  const simId = form.values.simId.replaceAll(/\s/g, '')
  return (
    <FormModal
      opened
      title={say.assignFor(device.alias)}
      submit={say.assign}
      onClose={onClose}
      onSubmit={() => assign.mutate([{ userId, deviceId: device.id }, { simId }])}
      disabled={simId === ''}
      pending={assign.isPending}
      error={assign.error}
    >
      <TextInput
        label={say.simId}
        description={say.assignHint}
        inputMode="numeric"
        required
        maxLength={30}
        data-autofocus
        {...form.text('simId')}
      />
    </FormModal>
  )
}
