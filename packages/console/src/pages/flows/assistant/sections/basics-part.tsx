import { Stack, Textarea, TextInput } from '@mantine/core'
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
            maxRows={16}
            maxLength={32_000}
            {...form.text('prompt')}
          />
        </Stack>
      </Section>
      <ModelSection {...props} />
    </>
  )
}
