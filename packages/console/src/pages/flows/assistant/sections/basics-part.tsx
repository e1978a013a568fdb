import { Group, Stack, Textarea, TextInput } from '@mantine/core'
import { SayButton } from '../../../../lazy-parts/speech/say-button.tsx'
import { useRead } from '#api/use-service.ts'
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
          <Greeting {...props} />
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

/** What is said first, to be heard as callers will hear it. */
const Greeting = ({ form, flowId }: PartProps) => {
  const say = useText(text)
  const flow = useRead('getFlow', { aiFlowId: flowId }).data
  const field = form.text('greeting')
  const { provider, voice } = flow?.tts ?? {}
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        label={say.greeting}
        description={say.greetingHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        required
        maxLength={1000}
        flex={1}
        {...field}
      />
      <SayButton
        {...(provider !== undefined && { provider })}
        {...(typeof voice === 'string' && { voice })}
        language={flow?.speech.speaks.language ?? 'en'}
        text={field.value}
      />
    </Group>
  )
}
