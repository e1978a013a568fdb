import { NativeSelect, NumberInput, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { Fields } from '../../settings/fields.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import type { PartProps } from './part-props.ts'
import { DisclosureSection } from './disclosure-section.tsx'
import { ListEditor } from './keys-part.tsx'
import { KeyField } from './model-fields.tsx'
import { text } from './rules-text.ts'

/** Knowledge, limits and forbidden topics. */
export const RulesPart = ({ form, kept }: PartProps) => (
  <>
    <DisclosureSection form={form} />
    <KnowledgeSection form={form} keySet={kept.settings.knowledge?.embeddings?.api_key_set ?? false} />
    <LimitsSection form={form} />
    <TopicsSection form={form} />
  </>
)

const KnowledgeSection = ({ form, keySet }: { form: DraftForm; keySet: boolean }) => {
  const say = useText(text)
  const use = (form.at('knowledge/use') as string | undefined) ?? 'off'
  const setUse = (value: string): void =>
    form.set('knowledge', value === 'off' ? undefined : { ...(form.at('knowledge') as object | undefined), use: value })
  return (
    <Section title={say.knowledge} description={say.knowledgeHint}>
      <Stack>
        <Fields>
          <NativeSelect
            label={say.use}
            data={(['tool', 'always', 'off'] as const).map((value) => ({ value, label: say.uses[value] }))}
            value={use}
            onChange={(event) => setUse(event.currentTarget.value)}
          />
          {use !== 'off' && (
            <NumberInput label={say.passages} placeholder={say.usual('4')} min={1} max={10} {...form.count('knowledge/passages')} />
          )}
        </Fields>
        {use !== 'off' && <Switch label={say.embeddings} {...form.exists('knowledge/embeddings')} />}
        {use !== 'off' && form.at('knowledge/embeddings') !== undefined && (
          <Fields>
            <TextInput
              label={say.url}
              placeholder="http://127.0.0.1:11434/v1"
              maxLength={2000}
              {...form.text('knowledge/embeddings/url')}
            />
            <TextInput label={say.name} placeholder="nomic-embed-text" maxLength={200} {...form.text('knowledge/embeddings/name')} />
            <KeyField form={form} path="knowledge/embeddings/api_key" keySet={keySet} />
          </Fields>
        )}
      </Stack>
    </Section>
  )
}

const LimitsSection = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  return (
    <Section title={say.limits} description={say.limitsHint}>
      <Fields>
        <NumberInput label={say.turns} placeholder={say.usual('60')} min={1} max={500} {...form.count('limits/turns')} />
        <NumberInput label={say.seconds} placeholder={say.usual('900')} min={10} max={14_400} {...form.count('limits/seconds')} />
        <NumberInput label={say.tokens} placeholder={say.usual('60000')} min={1000} {...form.count('limits/tokens')} />
        <NumberInput label={say.perDay} placeholder={say.noLimit} min={1000} {...form.count('limits/tokens_per_day')} />
        <NumberInput label={say.toolRounds} placeholder={say.usual('4')} min={0} max={10} {...form.count('limits/tool_rounds')} />
        <TextInput label={say.limitText} maxLength={500} {...form.text('limits/text')} />
      </Fields>
    </Section>
  )
}

const TopicsSection = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  return (
    <Section title={say.topics} description={say.topicsHint}>
      <Stack>
        <ListEditor
          form={form}
          path="topics/forbidden"
          most={20}
          fresh={{ name: '' }}
          add={say.addTopic}
          remove={say.removeTopic}
          none={say.noTopic}
        >
          {(path) => (
            <Fields>
              <TextInput label={say.topic} required maxLength={100} {...form.text(`${path}/name`)} />
              <TagsInput label={say.topicWords} description={say.topicWordsHint} maxTags={50} {...form.words(`${path}/words`)} />
            </Fields>
          )}
        </ListEditor>
        <TextInput label={say.topicText} maxLength={500} {...form.text('topics/text')} />
      </Stack>
    </Section>
  )
}
