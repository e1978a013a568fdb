import { Alert, Select } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { onOneLine } from '../addresses/one-line.ts'
import type { MobileDevice } from '../devices/device-state.tsx'
import { text } from './text.ts'

/** A card for a device, to an address of the account. */
export const OrderSim = ({ userId, device, onClose }: { userId: string; device: MobileDevice; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const addresses = useRead('listAddresses').data?.items
  const order = useWrite('orderSim', {
    refreshes: ['listSimOrders', 'listUserDevices', 'getBalance'],
    onDone: () => {
      toast.done(say.ordered)
      onClose()
    },
  })
  const form = useForm({ addressId: null as string | null }, order.error)
  const addressId = form.values.addressId ?? addresses?.[0]?.id ?? ''
  return (
    <FormModal
      opened
      title={say.orderFor(device.alias)}
      submit={say.order}
      onClose={onClose}
      onSubmit={() => order.mutate([{ userId, deviceId: device.id }, { addressId }])}
      disabled={addressId === ''}
      pending={order.isPending}
      error={order.error}
    >
      {addresses?.length === 0 && (
        <Alert color="yellow" icon={<Icon name="alert" />}>
          {say.noAddress}
        </Alert>
      )}
      <Select
        label={say.address}
        description={say.addressHint}
        required
        allowDeselect={false}
        data={(addresses ?? []).map((address) => ({ value: address.id, label: onOneLine(address) }))}
        {...form.value('addressId')}
        value={addressId === '' ? null : addressId}
      />
    </FormModal>
  )
}
