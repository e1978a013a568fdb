import { Group, Text } from '@mantine/core'
import mark from './offhook.svg'

export const Brand = () => (
  <Group gap={10} wrap="nowrap">
    <img src={mark} alt="" width={28} height={28} />
    <Text fw={680} size="lg" style={{ letterSpacing: '-0.01em' }}>
      Offhook
    </Text>
  </Group>
)
