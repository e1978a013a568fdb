import { Stack, Switch, TextInput } from '@mantine/core'
import { LanguagesPicker } from '../../../../lazy-parts/speech/language-picker.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import type { DraftForm } from '../use-draft-form.ts'

/** AI disclosure to callers, and its languages. */
export const DisclosureSection = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  return (
    <Section title={say.honesty}>
      <Stack>
        <Disclosure form={form} />
        <LanguagesPicker label={say.languages} description={say.languagesHint} maxValues={4} {...form.words('languages')} />
        <TextInput label={say.timeZone} description={say.timeZoneHint} maxLength={60} {...form.text('time_zone')} />
      </Stack>
    </Section>
  )
}

const Disclosure = ({ form }: { form: DraftForm }) => {
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
