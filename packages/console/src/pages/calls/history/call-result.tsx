import { Alert, Button, List, Stack, Text, Title } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { Section } from '#parts/page/section.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { usePrice } from '#lazy-parts/use-price.ts'

import { text } from './result-text.ts'

type CallResult = OutputOf<'getResult'>

/** Milliseconds between polls for a pending result. */
const pollIntervalMs = 3_000

/** Result of one call, on its page. Empty without a result. */
export const CallResultSection = ({ flowId, callId }: { flowId: string; callId: string }) => {
  const may = useMay()('CAN_CHANGE_FLOWS')
  const { data } = useRead('getResult', { aiFlowId: flowId, callId }, { when: may, every: pollIntervalMs })
  if (!data) return null
  return <Result result={data} />
}

const Result = ({ result }: { result: CallResult }) => {
  const say = useText(text)
  const { summary, messages, nextSteps = [], problem, fields } = result
  return (
    <Section title={say.result} actions={<Redeliver result={result} />}>
      <Stack>
        {summary !== undefined && <Text style={{ whiteSpace: 'pre-wrap' }}>{summary}</Text>}
        {problem !== undefined && (
          <Alert color="yellow" title={say.problem}>
            <span lang="en">{problem}</span>
          </Alert>
        )}
        <Counted result={result} />
        {fields && Object.keys(fields).length > 0 && (
          <Part title={say.fields}>
            <Facts facts={Object.entries(fields).map(([name, value]) => [name, shown(value)])} />
          </Part>
        )}
        {nextSteps.length > 0 && (
          <Part title={say.nextSteps}>
            <List size="sm">
              {nextSteps.map((step) => (
                <List.Item key={step}>{step}</List.Item>
              ))}
            </List>
          </Part>
        )}
        {messages.length > 0 && (
          <Part title={say.messages}>
            {messages.map(({ name, phone, text: words, at }) => (
              <div key={at}>
                <Text size="xs" c="dimmed">
                  {[name, phone].filter(Boolean).join(' · ')} <Time at={at} />
                </Text>
                <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
                  {words}
                </Text>
              </div>
            ))}
          </Part>
        )}
      </Stack>
    </Section>
  )
}

const Part = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <div>
    <Title order={3} mb={4}>
      {title}
    </Title>
    {children}
  </div>
)

const shown = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)

const Counted = ({ result }: { result: CallResult }) => {
  const say = useText(text)
  const { number } = useFormat()
  const price = usePrice()
  const { outcome, sentiment, version, turns, interruptions, transferredTo, promptTokens, completionTokens, cost, firstSoundMs, delivery } =
    result
  return (
    <Facts
      across
      facts={[
        [say.outcome, outcome],
        [say.sentiment, sentiment && say.sentiments[sentiment]],
        [say.version, version ?? say.draft],
        [say.turns, number(turns)],
        [say.interruptions, interruptions === 0 ? undefined : number(interruptions)],
        [say.transferredTo, transferredTo],
        [say.tokens, promptTokens + completionTokens === 0 ? undefined : say.tokensOf(number(promptTokens), number(completionTokens))],
        [say.cost, price(cost)],
        [say.firstSound, firstSoundMs === undefined ? undefined : `${number(firstSoundMs)} ms`],
        [say.delivery, delivery === 'none' ? undefined : say.deliveries[delivery]],
      ]}
    />
  )
}

/** Only with a delivery address. */
const Redeliver = ({ result: { flowId, callId, delivery } }: { result: CallResult }) => {
  const say = useText(text)
  const toast = useToast()
  const may = useMay()('CAN_CHANGE_FLOWS')
  const send = useWrite('redeliverResult', { refreshes: ['getResult'], onDone: () => toast.done(say.redelivered) })
  if (!may || delivery === 'none') return null
  return (
    <Button
      size="xs"
      variant="default"
      loading={send.isPending}
      onClick={() => send.mutate([{ aiFlowId: flowId, callId }], { onError: (error) => toast.failed(error) })}
    >
      {say.redeliver}
    </Button>
  )
}
