import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import type { OutputOf } from '#api/use-service.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Quality = OutputOf<'readTrunkQuality'>['items'][number]

/** More of it can be heard. */
const audibleLossPercent = 2

/** How the last day went, with a way to the calls. */
export const TrunkQuality = ({ quality }: { quality: Quality | undefined }) => {
  const say = useText(text)
  const { number } = useFormat()
  if (!quality) return '–'
  const { trunkId, incoming, outgoing, answered, failed, lossPercent, jitterMs } = quality
  const calls = incoming + outgoing
  return (
    <Stack gap={0}>
      <Anchor component={Link} href={`/operator/calls?trunk=${encodeURIComponent(trunkId)}`} size="sm">
        {say.answeredOf(number((100 * answered) / calls), number(calls))}
      </Anchor>
      {failed > 0 && (
        <Text size="xs" c="red">
          {say.failedCalls(failed)}
        </Text>
      )}
      {lossPercent !== undefined && (
        <Text size="xs" c={lossPercent > audibleLossPercent ? 'red' : 'dimmed'}>
          {say.heard(number(lossPercent, 1), number(jitterMs ?? 0))}
        </Text>
      )}
    </Stack>
  )
}
