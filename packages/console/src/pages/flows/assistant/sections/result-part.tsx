import { Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import { JsonField } from './json-field.tsx'
import { text } from './rules-text.ts'

/** The stored result of a call, and the phrases for a failing model. */
export const ResultPart = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  return (
    <>
      <Section title={say.result} description={say.resultHint}>
        <Stack>
          <Switch label={say.summary} {...form.tick('result/summary', true)} />
          <TagsInput label={say.outcomes} description={say.outcomesHint} maxTags={20} {...form.words('result/outcomes')} />
          <JsonField form={form} path="result/fields" label={say.fields} description={say.fieldsHint} />
          <TextInput
            label={say.webhook}
            description={say.webhookHint}
            placeholder="https://example.com/results"
            maxLength={2000}
            {...form.text('result/webhook_url')}
          />
        </Stack>
      </Section>
      <Section title={say.trouble}>
        <TextInput label={say.failedText} maxLength={500} {...form.text('failed_text')} />
      </Section>
    </>
  )
}
