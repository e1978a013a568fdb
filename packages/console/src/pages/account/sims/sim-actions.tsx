import { Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import type { MobileDevice } from '../devices/device-state.tsx'
import { AssignSim } from './assign-sim.tsx'
import { OrderSim } from './order-sim.tsx'
import type { SimOrder } from './sim-orders.tsx'
import { text } from './text.ts'

interface SimActionsProps {
  userId: string
  device: MobileDevice
  order: SimOrder | undefined
}

export const SimActions = ({ userId, device, order }: SimActionsProps) => {
  const say = useText(text)
  const may = useMay()
  const [open, setOpen] = useState<'order' | 'assign'>()
  const close = (): void => setOpen(undefined)
  const remove = useRemoveSim(userId, device)
  const arrived = order?.state === 'SHIPPED' || order?.state === 'DELIVERED'
  return (
    <>
      {may('CAN_CHANGE_SIM') && (
        <Button size="sm" variant={arrived ? 'filled' : 'default'} onClick={() => setOpen('assign')}>
          {say.assign}
        </Button>
      )}
      {may('CAN_ORDER_SIM') && !order && (
        <Button size="sm" variant={device.simState === 'INACTIVE' ? 'filled' : 'default'} onClick={() => setOpen('order')}>
          {say.order}
        </Button>
      )}
      {may('CAN_CHANGE_SIM') && device.credentials && (
        <Button size="sm" variant="default" onClick={() => void remove()}>
          {say.remove}
        </Button>
      )}
      {open === 'order' && <OrderSim userId={userId} device={device} onClose={close} />}
      {open === 'assign' && <AssignSim userId={userId} device={device} sent={arrived ? order.simId : undefined} onClose={close} />}
    </>
  )
}

const useRemoveSim = (userId: string, { id: deviceId, alias }: MobileDevice) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('removeSim', { refreshes: ['listUserDevices', 'getDevice'], onDone: () => toast.done(say.removed) })
  return async (): Promise<void> => {
    if (await confirm({ title: say.removeTitle(alias), body: say.removeBody, confirm: say.removeConfirm }))
      remove.mutate([{ userId, deviceId }], { onError: toast.failed })
  }
}
