import { Alert, Button, Group, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { isAssistant, type Flow } from './flow-state.tsx'
import { text } from './text.ts'

const pollIntervalMs = 15_000

/** That the endpoint does not answer, since when, and what can be done. Nothing is said as long as it does. */
export const HealthNotice = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const format = useFormat()
  const may = useMay()('CAN_CHANGE_FLOWS')
  const health = useRead('getFlowHealth', { aiFlowId: flow.id }, { every: pollIntervalMs }).data
  // Why it is disabled stands above already.
  if (health?.state !== 'FAILING' || flow.disabledBecause !== undefined) return null
  const { since, lastFailure } = health
  return (
    <Alert color="red" icon={<Icon name="alert" />} title={say.failingTitle} role="status">
      <Text size="sm">
        {since !== undefined && `${say.failingSince(format.moment(since))} `}
        {lastFailure && `${say.lastFailure} ${lastFailure.message}`}
      </Text>
      <Group gap="xs" mt="xs">
        {lastFailure && !isAssistant(flow) && (
          <Button component={Link} size="xs" variant="default" href={`/flows/${flow.id}/deliveries?delivery=${lastFailure.deliveryId}`}>
            {say.showFailure}
          </Button>
        )}
        {may && !isAssistant(flow) && (
          <Button component={Link} size="xs" variant="default" href={`/flows/${flow.id}/test`}>
            {say.testNow}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
