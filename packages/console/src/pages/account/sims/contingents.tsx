import { Group, Progress, Stack, Text } from '@mantine/core'
import { useRead } from '#api/use-service.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** What is left of the packages of a device; nothing when none is booked. */
export const Contingents = ({ userId, deviceId }: { userId: string; deviceId: string }) => {
  const say = useText(text)
  const format = useFormat()
  const contingents = useRead('getDeviceContingents', { userId, deviceId }).data?.contingents ?? []
  if (contingents.length === 0) return null
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600} component="h3">
        {say.contingents}
      </Text>
      {contingents.map(({ type, amount, left, unit, expires }) => (
        <div key={`${type} ${expires}`}>
          <Group justify="space-between" gap="xs">
            <Text size="sm">{type}</Text>
            <Text size="sm" c="dimmed">
              {say.left(format.number(left), format.number(amount), unit)}, {say.until} {format.day(expires)}
            </Text>
          </Group>
          <Progress value={amount === 0 ? 0 : (left / amount) * 100} aria-label={type} mt={4} />
        </div>
      ))}
    </Stack>
  )
}
