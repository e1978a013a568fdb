import { Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import { ModelSection } from './model-section.tsx'
import type { PartProps } from './part-props.ts'

/** All that an assistant needs: what it says first, who it is, which model thinks. */
export const BasicsPart = (props: PartProps) => {
  const say = useText(text)
  const { form } = props
  return (
    <>
      <Section title={say.speaks}>
        <Stack>
          <TextInput label={say.greeting} description={say.greetingHint} required maxLength={1000} {...form.text('greeting')} />
          <Textarea
            label={say.prompt}
            description={say.promptHint}
            autosize
            minRows={8}
            maxRows={24}
            maxLength={32_000}
            {...form.text('prompt')}
          />
          <Disclosure form={form} />
          <TagsInput label={say.languages} description={say.languagesHint} maxTags={4} {...form.words('languages')} />
        </Stack>
      </Section>
      <ModelSection {...props} />
    </>
  )
}

const Disclosure = ({ form }: Pick<PartProps, 'form'>) => {
  const say = useText(text)
  const isOn = form.at('disclosure/mode') !== 'off'
  const setMode = (on: boolean): void => {
    form.set('disclosure/mode', on ? 'first' : 'off')
    if (on) form.set('disclosure/reason', undefined)
  }
  return (
    <>
      <Switch label={say.disclosure} checked={isOn} onChange={(event) => setMode(event.currentTarget.checked)} />
      {isOn ? (
        <TextInput
          label={say.disclosureText}
          description={say.disclosureHint}
          maxLength={500}
          {...form.text('disclosure/text')}
          onChange={({ currentTarget: { value } }) =>
            form.set('disclosure', { ...(form.at('disclosure') as object), mode: 'first', text: value === '' ? undefined : value })
          }
        />
      ) : (
        <TextInput
          label={say.disclosureReason}
          description={say.disclosureReasonHint}
          required
          maxLength={500}
          {...form.text('disclosure/reason')}
        />
      )}
    </>
  )
}
