import { Text } from '@mantine/core'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import type { Trunk } from './trunk-values.ts'

export const TrunkState = ({ trunk }: { trunk: Trunk }) => (
  <>
    <TrunkBadge trunk={trunk} />
    {trunk.state?.problem !== undefined && (
      <Text size="xs" c="dimmed">
        {trunk.state.problem}
      </Text>
    )}
  </>
)

const TrunkBadge = ({ trunk: { active, register, state } }: { trunk: Trunk }) => {
  const { states } = useText(text)
  if (!active) return <StatusBadge tone="quiet">{states.off}</StatusBadge>
  if (!state) return <StatusBadge tone="quiet">{states.unknown}</StatusBadge>
  if (!state.usable) return <StatusBadge tone="bad">{register && !state.registered ? states.loggedOut : states.down}</StatusBadge>
  return <StatusBadge tone="good">{register ? states.registered : states.usable}</StatusBadge>
}
