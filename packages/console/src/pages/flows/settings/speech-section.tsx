import { NativeSelect, Stack, TagsInput, TextInput } from '@mantine/core'
import { Facts } from '#parts/value/facts.tsx'
import { Section } from '#parts/page/section.tsx'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { Fields } from './fields.tsx'
import type { FlowForm } from './flow-form.ts'
import { text } from './text.ts'

const voices = ['embedded', 'openai', 'azure', 'eleven_labs', 'espeak', 'pico']
const ears = ['embedded', 'openai', 'deepgram', 'eleven_labs', 'azure']

export const SpeechSection = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
  const say = useText(text)
  const { speaks, hears } = flow.speech
  const providers = (names: readonly string[], present: string) => [
    { value: '', label: say.embedded },
    ...new Set([...names.slice(1), ...(present === '' ? [] : [present])]),
  ]
  return (
    <Section title={say.speech}>
      <Stack>
        <Facts
          facts={[
            [say.speaks, `${speaks.provider ?? say.nothing} · ${speaks.language}`],
            [say.hears, `${hears.provider ?? say.nothing} · ${hears.language}`],
          ]}
        />
        <Fields>
          <NativeSelect label={say.ttsProvider} data={providers(voices, form.values['tts/provider'])} {...form.text('tts/provider')} />
          <NativeSelect label={say.sttProvider} data={providers(ears, form.values['stt/provider'])} {...form.text('stt/provider')} />
          <TextInput label={say.ttsLanguage} description={say.languageHint} {...form.text('tts/language')} />
          <TagsInput label={say.sttLanguages} description={say.sttLanguagesHint} maxTags={4} {...form.value('stt/languages')} />
          <TextInput label={say.ttsVoice} description={say.ttsVoiceHint} {...form.text('tts/voice')} />
          <TagsInput label={say.vocabulary} description={say.vocabularyHint} maxTags={100} {...form.value('stt/custom_vocabulary')} />
        </Fields>
      </Stack>
    </Section>
  )
}
