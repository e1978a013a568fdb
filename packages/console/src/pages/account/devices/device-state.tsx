import { Group } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type Device = OutputOf<'listUserDevices'>['items'][number]
export type RegisterDevice = Extract<Device, { type: 'REGISTER' }>
export type MobileDevice = Extract<Device, { type: 'MOBILE' }>
export type ExternalDevice = Extract<Device, { type: 'EXTERNAL' }>

/** Whether it can ring at this moment. */
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

/** In a word, or two. */
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
