import { Alert, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import type { PartProps } from './part-props.ts'
import { ModelFields } from './model-fields.tsx'
import { ModelTest } from './model-test.tsx'
import { text } from './model-text.ts'
import { ollama } from './presets.ts'

/** Which model thinks, and which one takes over. Without one, it says what to start. */
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
