import { Radio, Stack, TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import type { Device } from './device-state.tsx'
import { text } from './text.ts'

/** The phone in the browser comes by itself. */
type DeviceType = Exclude<Device['type'], 'BROWSER'>

const creations = [
  ['REGISTER', 'CAN_CREATE_REGISTER_DEVICE'],
  ['MOBILE', 'CAN_CREATE_MOBILE_DEVICE'],
  ['EXTERNAL', 'CAN_CREATE_EXTERNAL_DEVICE'],
] as const

/** Kinds of devices that one may add. */
export const useDeviceTypes = (): DeviceType[] => {
  const may = useMay()
  return creations.flatMap(([type, needed]) => (may(needed) ? [type] : []))
}

/** A new device opens at once, because what comes next is to set it up. */
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
