import { MultiSelect, NativeSelect, NumberInput, Stack, Switch, TagsInput, Text, Textarea, TextInput } from '@mantine/core'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { Fields, SpokenField } from './fields.tsx'
import type { FlowForm } from './flow-form.ts'
import { text } from './text.ts'

interface SectionProps {
  form: Form<FlowForm>
}

/** Phrases for callers when the endpoint returns no actions. */
export const TroubleSection = ({ form, flow }: SectionProps & { flow: Flow }) => {
  const say = useText(text)
  const { values } = form
  return (
    <Fields>
      <SpokenField form={form} flow={flow} label={say.fallbackText} spoken={values['fallback/text']}>
        <Textarea label={say.fallbackText} autosize minRows={2} maxLength={1000} {...form.text('fallback/text')} />
      </SpokenField>
      <SpokenField form={form} flow={flow} label={say.retryText} spoken={values.retry_text}>
        <Textarea label={say.retryText} autosize minRows={2} maxLength={1000} {...form.text('retry_text')} />
      </SpokenField>
      <TextInput label={say.transferTo} description={say.transferToHint} {...form.text('fallback/transfer_to')} />
    </Fields>
  )
}

export const TransferSection = ({ form }: SectionProps) => {
  const say = useText(text)
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        {say.transfersHint}
      </Text>
      <TagsInput label={say.targets} description={say.targetsHint} maxTags={100} {...form.value('transfer_targets')} />
    </Stack>
  )
}

export const CallSection = ({ form }: SectionProps) => {
  const say = useText(text)
  const modes = [
    { value: '', label: say.machineModes.off },
    { value: 'field', label: say.machineModes.field },
    { value: 'event', label: say.machineModes.event },
  ]
  const redactable = Object.entries(say.redactions).map(([value, label]) => ({ value, label }))
  const present = form.values.answering_machine_detection
  return (
    <Stack>
      <Switch label={say.recording} {...form.tick('recording')} />
      <Switch label={say.keepTimeline} description={say.keepTimelineHint} {...form.tick('keep_timeline')} />
      <MultiSelect label={say.redact} description={say.redactHint} data={redactable} clearable {...form.value('redact')} />
      <Fields>
        <NativeSelect
          label={say.machines}
          data={modes}
          {...form.text('answering_machine_detection')}
          value={present === 'off' ? '' : present}
        />
        <NumberInput label={say.answerAfter} min={0} max={60} {...form.value('answer_after_seconds')} />
      </Fields>
      <TagsInput label={say.variables} description={say.variablesHint} maxTags={200} splitChars={[]} {...form.value('variables')} />
    </Stack>
  )
}
