import { Checkbox, Stack, Text } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export interface TickedDevice {
  id: string
  alias: string
  type: 'REGISTER' | 'MOBILE' | 'EXTERNAL' | 'BROWSER'
  /** Whose it is, where that is not clear. */
  owner?: string
}

export interface DeviceTicksProps {
  devices: readonly TickedDevice[]
  ticked: ReadonlySet<string>
  disabled: boolean
  onTick: (deviceId: string, on: boolean) => void
}

/** Which devices ring. */
export const DeviceTicks = ({ devices, ticked, disabled, onTick }: DeviceTicksProps) => {
  const { deviceTypes } = useText(text)
  return (
    <Stack gap="sm">
      {devices.map(({ id, alias, type, owner }) => (
        <Checkbox
          key={id}
          styles={{ labelWrapper: { overflowWrap: 'anywhere' } }}
          label={
            <>
              {alias}{' '}
              <Text span size="xs" c="dimmed">
                {owner === undefined ? deviceTypes[type] : `${owner}, ${deviceTypes[type]}`}
              </Text>
            </>
          }
          checked={ticked.has(id)}
          disabled={disabled}
          onChange={(event) => onTick(id, event.currentTarget.checked)}
        />
      ))}
    </Stack>
  )
}
