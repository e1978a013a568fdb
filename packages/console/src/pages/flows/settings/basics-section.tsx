import { NativeSelect, TextInput } from '@mantine/core'
import { LanguagePicker } from '../../../lazy-parts/speech/language-picker.tsx'
import { VoicePicker } from '../../../lazy-parts/speech/voice-picker.tsx'
import { useRead } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import type { Form } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { Fields } from './fields.tsx'
import type { FlowForm } from './flow-form.ts'
import { text } from './text.ts'
import { useProviders } from './use-providers.ts'

/** What everybody wants to set: who it is and how it sounds. */
export const BasicsSection = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
  const say = useText(text)
  const providers = useProviders()
  const { values } = form
  const provider = values['tts/provider']
  const setProvider = (chosen: string): void => {
    form.set('tts/provider', chosen)
    form.set('tts/voice', '') // a voice belongs to its provider
  }
  const setLanguage = (tag: string): void => {
    form.set('language', tag)
    if (provider === '') form.set('tts/voice', '') // so does a built-in voice to its language
  }
  return (
    <Section title={say.general}>
      <Fields>
        <TextInput label={say.name} required maxLength={100} {...form.text('name')} />
        <ShownNumber form={form} />
        <LanguagePicker label={say.language} {...form.value('language')} onChange={setLanguage} />
        <NativeSelect
          label={say.ttsProvider}
          data={providers('voices', provider)}
          {...form.text('tts/provider')}
          onChange={({ currentTarget }) => setProvider(currentTarget.value)}
        />
        <VoicePicker
          label={say.ttsVoice}
          provider={provider}
          language={values['tts/language'] || values.language || flow.speech.speaks.language}
          {...form.value('tts/voice')}
          onChange={(voice) => form.set('tts/voice', voice)}
        />
      </Fields>
    </Section>
  )
}

const ShownNumber = ({ form }: { form: Form<FlowForm> }) => {
  const say = useText(text)
  const format = useFormat()
  const numbers = useRead('listNumbers')
  const own = numbers.data?.items.filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE') ?? []
  const choices = own.map(({ number }) => ({ value: number.slice(1), label: format.phone(number) }))
  const present = form.values.phone_number
  const known = present === '' || choices.some(({ value }) => value === present)
  const data = [{ value: '', label: say.noNumber }, ...choices, ...(known ? [] : [{ value: present, label: format.phone(`+${present}`) }])]
  return <NativeSelect label={say.phoneNumber} description={say.phoneNumberHint} data={data} {...form.text('phone_number')} />
}
