import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { SearchField } from '#parts/form/search-field.tsx'
import { isIn } from '#parts/list/find-rows.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export interface TickedDevice {
  id: string
  alias: string
  type: 'REGISTER' | 'MOBILE' | 'EXTERNAL' | 'BROWSER'
  /** Owner, if not obvious. */
  owner?: string
}

interface DeviceTicksProps {
  devices: readonly TickedDevice[]
  ticked: ReadonlySet<string>
  disabled: boolean
  onTick: (deviceId: string, on: boolean) => void
}

/** Maximum shown; the others are found by name. */
const shown = 10

/** Ringing devices, selected ones first. */
export const DeviceTicks = ({ devices, ticked, disabled, onTick }: DeviceTicksProps) => {
  const say = useText(text)
  const [sought, setSought] = useState('')
  const many = devices.length > shown
  const wordsOf = ({ alias, type, owner = '' }: TickedDevice): string[] => [alias, owner, say.deviceTypes[type]]
  const found = devices.filter((device) => sought.trim() === '' || isIn(sought, wordsOf(device)))
  const ordered = many ? found.toSorted((a, b) => Number(ticked.has(b.id)) - Number(ticked.has(a.id))) : found
  const hidden = many ? found.length - shown : 0
  return (
    <Stack gap="sm">
      {many && <SearchField label={say.findDevice} value={sought} onChange={setSought} />}
      {many && (
        <Text size="sm" c="dimmed" role="status">
          {say.ringing(devices.filter(({ id }) => ticked.has(id)).length, devices.length)}
        </Text>
      )}
      {(many ? ordered.slice(0, shown) : ordered).map((device) => (
        <Checkbox
          key={device.id}
          styles={{ labelWrapper: { overflowWrap: 'anywhere' } }}
          label={<DeviceName device={device} />}
          checked={ticked.has(device.id)}
          disabled={disabled}
          onChange={(event) => onTick(device.id, event.currentTarget.checked)}
        />
      ))}
      {hidden > 0 && (
        <Text size="sm" c="dimmed">
          {say.moreDevices(hidden)}
        </Text>
      )}
    </Stack>
  )
}

const DeviceName = ({ device: { alias, type, owner } }: { device: TickedDevice }) => {
  const { deviceTypes } = useText(text)
  return (
    <>
      {alias}{' '}
      <Text span size="xs" c="dimmed">
        {owner === undefined ? deviceTypes[type] : `${owner}, ${deviceTypes[type]}`}
      </Text>
    </>
  )
}
