import { Group } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type Device = OutputOf<'listUserDevices'>['items'][number]
export type RegisterDevice = Extract<Device, { type: 'REGISTER' }>
export type MobileDevice = Extract<Device, { type: 'MOBILE' }>
export type ExternalDevice = Extract<Device, { type: 'EXTERNAL' }>

/** Whether it can ring at this moment. */
export const DeviceState = ({ device }: { device: Device }) => {
  const say = useText(text)
  return (
    <Group gap={6}>
      {device.type === 'MOBILE' ? (
        <StatusBadge tone={device.simState === 'ACTIVE' ? 'good' : device.simState === 'PENDING' ? 'busy' : 'quiet'}>
          {say.simStates[device.simState]}
        </StatusBadge>
      ) : (
        <StatusBadge tone={device.online ? 'good' : 'quiet'}>
          {device.type === 'EXTERNAL' ? say.outside : device.online ? say.online : say.offline}
        </StatusBadge>
      )}
      {device.dnd && <StatusBadge tone="warning">{say.dnd}</StatusBadge>}
    </Group>
  )
}
