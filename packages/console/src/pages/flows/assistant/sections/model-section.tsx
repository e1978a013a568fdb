import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import type { PartProps } from './part-props.ts'
import { ModelFields } from './model-fields.tsx'
import { ollama } from './model-fields.tsx'
import { text } from './model-text.ts'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'

/** The model and its fallback. Without one, it suggests what to start. */
export const ModelSection = ({ form, flowId, kept, saveFirst }: PartProps) => {
  const say = useText(text)
  const hasModel = Boolean(form.at('model/url')) || Boolean(form.at('model/name'))
  const hasSecond = form.at('model/second') !== undefined
  return (
    <Section title={say.model} description={say.modelHint}>
      <Stack>
        {!hasModel && <NoModel onFill={() => form.set('model', { url: ollama.url, name: ollama.name })} />}
        <ModelFields form={form} path="model" keySet={kept.settings.model?.api_key_set ?? false} />
        {hasModel && <ModelTest flowId={flowId} second={false} saveFirst={saveFirst} />}
        {hasModel && <Switch label={say.second} {...form.exists('model/second')} />}
        {hasModel && hasSecond && (
          <Stack component="section" aria-label={say.secondTitle}>
            <ModelFields form={form} path="model/second" keySet={kept.settings.model?.second?.api_key_set ?? false} />
            <ModelTest flowId={flowId} second saveFirst={saveFirst} />
          </Stack>
        )}
      </Stack>
    </Section>
  )
}

const NoModel = ({ onFill }: { onFill: () => void }) => {
  const say = useText(text)
  return (
    <Alert color="blue" icon={<Icon name="info" />} title={say.noModelTitle}>
      <Stack gap="xs">
        <Text size="sm">{say.noModel}</Text>
        <CopyField label={say.start} value={`ollama run ${ollama.name}`} />
        <CopyField label={say.allow} value={`OFFHOOK_EGRESS_ALLOW=${new URL(ollama.url).host}`} />
        <Group>
          <Button size="xs" variant="default" onClick={onFill}>
            {say.fillIn}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}

type Measured = OutputOf<'testModel'>

/** Milliseconds after which callers wonder whether anybody is there. */
const slowMs = 1_500

/** Sends one test question to the model, and shows its speed and capabilities. */
const ModelTest = ({ flowId, second, saveFirst }: { flowId: string; second: boolean; saveFirst: () => Promise<boolean> }) => {
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
