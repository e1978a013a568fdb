import { Alert, Button, Stack, Text } from '@mantine/core'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './model-text.ts'

type Measured = OutputOf<'testModel'>

/** Later than this, callers wonder whether anybody is there. */
const slowMs = 1_500

/** Asks the model one question, and tells how fast it is and what it can do. */
export const ModelTest = ({ flowId, second, saveFirst }: { flowId: string; second: boolean; saveFirst: () => Promise<boolean> }) => {
  const say = useText(text)
  const test = useWrite('testModel')
  const run = async (): Promise<void> => {
    if (await saveFirst()) test.mutate([{ aiFlowId: flowId }, second ? { second } : {}])
  }
  return (
    <Stack gap="sm" align="flex-start">
      <Button variant="default" leftSection={<Icon name="bolt" size={16} />} loading={test.isPending} onClick={() => void run()}>
        {say.test}
      </Button>
      <div role="status">{test.isPending && <Text size="sm">{say.testing}</Text>}</div>
      <ErrorNotice error={test.error} />
      {test.data && !test.isPending && <Outcome measured={test.data} />}
    </Stack>
  )
}

const Outcome = ({
  measured: { ok, firstTokenMs, totalMs, tokensPerSecond, text: words, tools, json, problem },
}: {
  measured: Measured
}) => {
  const say = useText(text)
  const { number } = useFormat()
  const can = [tools && say.tools, json && say.json].filter(Boolean).join(', ')
  const isKnown = tools !== undefined || json !== undefined
  return (
    <Alert
      color={ok ? 'pine' : 'red'}
      role="alert"
      icon={<Icon name={ok ? 'check' : 'alert'} />}
      title={ok ? say.works : say.fails}
      w="100%"
    >
      {problem !== undefined && (
        <Text size="sm" lang="en">
          {problem}
        </Text>
      )}
      {ok && (
        <Facts
          facts={[
            [say.firstTokenAfter, firstTokenMs === undefined ? undefined : `${number(firstTokenMs)} ms`],
            [say.wholeAfter, `${number(totalMs)} ms`],
            [say.speed, tokensPerSecond === undefined ? undefined : say.perSecond(number(tokensPerSecond, 1))],
            [say.can, isKnown ? can || say.canNeither : undefined],
            [say.answered, words],
          ]}
        />
      )}
      {ok && (firstTokenMs ?? 0) > slowMs && (
        <Text size="sm" mt="xs">
          {say.slow}
        </Text>
      )}
    </Alert>
  )
}
