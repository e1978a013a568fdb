import { NativeSelect, Stack, TagsInput } from '@mantine/core'
import { LanguagePicker, LanguagesPicker } from '../../../lazy-parts/speech/language-picker.tsx'
import type { Form } from '#parts/form/use-form.ts'
import { Facts } from '#parts/value/facts.tsx'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { Fields } from './fields.tsx'
import type { FlowForm } from './flow-form.ts'
import { text } from './text.ts'
import { useProviders } from './use-providers.ts'

/** What it hears with, and what callers are likely to say. */
export const SpeechSection = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
  const say = useText(text)
  const providers = useProviders()
  const { speaks, hears } = flow.speech
  const used = ({ provider, language }: typeof speaks): string => {
    const name =
      provider === undefined ? say.nothing : (providers('voices', provider).find(({ value }) => value === provider)?.label ?? provider)
    return `${name} · ${language}`
  }
  return (
    <Stack>
      <Facts
        facts={[
          [say.speaks, used(speaks)],
          [say.hears, used(hears)],
        ]}
      />
      <Fields>
        <NativeSelect label={say.sttProvider} data={providers('ears', form.values['stt/provider'])} {...form.text('stt/provider')} />
        <LanguagesPicker
          label={say.sttLanguages}
          description={say.sttLanguagesHint}
          maxValues={4}
          {...form.value('stt/languages')}
          onChange={(tags) => form.set('stt/languages', tags)}
        />
        <LanguagePicker
          label={say.ttsLanguage}
          description={say.ttsLanguageHint}
          placeholder={say.sameLanguage}
          {...form.value('tts/language')}
          onChange={(tag) => form.set('tts/language', tag)}
        />
        <TagsInput label={say.vocabulary} description={say.vocabularyHint} maxTags={100} {...form.value('stt/custom_vocabulary')} />
      </Fields>
    </Stack>
  )
}
