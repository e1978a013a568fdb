import type { ReactNode } from 'react'
import { useProblemFocus } from '#parts/form/form-modal.tsx'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { CallSection, TransferSection, TroubleSection } from './call-sections.tsx'
import { EventSection } from './event-section.tsx'
import { formOf, type FlowForm, addressesOf, leadsElsewhere } from './flow-form.ts'
import { Folded } from './folded.tsx'
import { changedIn, differences, hasProblem, type GroupName } from './groups.ts'
import classes from './settings.module.css'
import { text } from './text.ts'
import { PatienceSection, TurnSection } from './turn-sections.tsx'
import type { useFlowForm } from './use-flow-form.ts'
import type { OpenParts } from './use-open-parts.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import type { Form } from '#parts/form/use-form.ts'
import { UnsavedBar } from '../parts/unsaved-bar.tsx'
import { Alert, Button, Group, List, Text, NativeSelect, Stack, TagsInput, TextInput, Checkbox, PasswordInput } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { LanguagePicker, LanguagesPicker } from '../../../lazy-parts/speech/language-picker.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Fields } from './fields.tsx'
import { VoicePicker } from '../../../lazy-parts/speech/voice-picker.tsx'
import { useRead } from '#api/use-service.ts'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { ProtocolFields } from './protocol-fields.tsx'

interface SettingsFormProps {
  flow: Flow
  may: boolean
  editing: ReturnType<typeof useFlowForm>
  groups: readonly GroupName[]
  deps: OpenParts
}

/** Common settings, and the rest collapsed below. */
export const SettingsForm = ({ flow, may, editing, groups, deps }: SettingsFormProps) => {
  const say = useText(text)
  const { form, change, seen, save, isConflict, follow } = editing
  const ref = useProblemFocus(change.error)
  const contents: Record<GroupName, ReactNode> = {
    endpoint: <EndpointSection form={form} flow={flow} />,
    speech: <SpeechSection form={form} flow={flow} />,
    turns: <TurnSection form={form} />,
    patience: <PatienceSection form={form} flow={flow} />,
    trouble: <TroubleSection form={form} flow={flow} />,
    transfers: <TransferSection form={form} />,
    events: <EventSection form={form} />,
    calls: <CallSection form={form} />,
  }
  return (
    <form
      ref={ref}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <fieldset disabled={!may} className={classes.stack}>
        <div id="basics">
          <BasicsSection form={form} flow={flow} />
        </div>
        {groups.map((id) => (
          <Folded
            key={id}
            id={id}
            title={say[id]}
            summary={changedIn(id, form.values, say).join(' · ') || say.allDefault}
            open={deps.isOpen(id) || hasProblem(id, change.error)}
            onToggle={(open) => deps.toggle(id, open)}
          >
            {contents[id]}
          </Folded>
        ))}
      </fieldset>
      {isConflict && flow.version !== seen.version && (
        <Conflict changed={differences(formOf(seen), formOf(flow), say)} onKeepMine={() => save(form.values, flow)} onTakeTheirs={follow} />
      )}
      <SaveBar form={form} pending={change.isPending} error={isConflict ? null : change.error} onDiscard={follow} />
    </form>
  )
}

interface SaveBarProps {
  form: Form<FlowForm>
  pending: boolean
  error: unknown
  onDiscard: () => void
}

const SaveBar = ({ form, pending, error, onDiscard }: SaveBarProps) => {
  const say = useText(text)
  if (!form.changed) return null
  return (
    <UnsavedBar save={say.save} discard={say.discard} pending={pending} onDiscard={onDiscard}>
      <ErrorNotice error={error} />
    </UnsavedBar>
  )
}

interface ConflictProps {
  /** Fields changed by another person. */
  changed: readonly string[]
  onKeepMine: () => void
  onTakeTheirs: () => void
}

/** A save conflict: nothing is overwritten without confirmation. */
const Conflict = ({ changed, onKeepMine, onTakeTheirs }: ConflictProps) => {
  const say = useText(text)
  return (
    <Alert color="yellow" role="alert" icon={<Icon name="alert" />} title={say.conflict}>
      <Text size="sm">{say.conflictHint}</Text>
      <List size="sm" my="xs">
        {changed.map((label) => (
          <List.Item key={label}>{label}</List.Item>
        ))}
      </List>
      <Group gap="xs">
        <Button size="xs" onClick={onKeepMine}>
          {say.keepMine}
        </Button>
        <Button size="xs" variant="default" onClick={onTakeTheirs}>
          {say.takeTheirs}
        </Button>
      </Group>
    </Alert>
  )
}

/** Speech recognition, and expected vocabulary. */
const SpeechSection = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
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
        <TagsInput
          label={say.pronunciations}
          description={say.pronunciationsHint}
          maxTags={200}
          splitChars={['\n']}
          {...form.value('pronunciations')}
        />
      </Fields>
    </Stack>
  )
}

/** Common settings: identity and voice. */
const BasicsSection = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
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
    if (provider === '') form.set('tts/voice', '') // a built-in voice belongs to its language
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

const EndpointSection = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
  const say = useText(text)
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {say.endpointHint}
      </Text>
      <NativeSelect
        label={say.who}
        mb="md"
        maw="24rem"
        data={[
          { value: '', label: say.whoOwn },
          { value: 'assistant', label: say.whoAssistant },
        ]}
        {...form.text('endpoint')}
        value={form.values.endpoint === 'assistant' ? 'assistant' : ''}
      />
      {form.values.endpoint !== 'assistant' && (
        <Stack>
          <ProtocolFields form={form} />
          <OwnEndpoint form={form} flow={flow} />
        </Stack>
      )}
    </>
  )
}

const OwnEndpoint = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
  const say = useText(text)
  const known = addressesOf(form.values.protocol)
  const isAgain = flow.apiKeySet && leadsElsewhere(form.values, flow)
  return (
    <Fields>
      {known.includes('webhookUrl') && (
        <TextInput label={say.webhookUrl} placeholder="https://example.com/assistant" {...form.text('webhookUrl')} />
      )}
      {known.includes('websocketUrl') && (
        <TextInput label={say.websocketUrl} placeholder="wss://example.com/assistant" {...form.text('websocketUrl')} />
      )}
      {known.includes('fallbackUrl') && (
        <TextInput label={say.fallbackUrl} description={say.fallbackUrlHint} {...form.text('fallbackUrl')} />
      )}
      <Stack gap="xs">
        <PasswordInput
          label={say.apiKey}
          description={isAgain ? say.apiKeyAgain : say.apiKeyHint}
          placeholder={flow.apiKeySet && !isAgain ? say.apiKeySet : ''}
          autoComplete="off"
          disabled={form.values.removeApiKey}
          {...form.text('apiKey')}
        />
        {flow.apiKeySet && <Checkbox label={say.removeApiKey} {...form.tick('removeApiKey')} />}
      </Stack>
    </Fields>
  )
}

const known = {
  voices: ['openai', 'azure', 'eleven_labs', 'espeak', 'pico'],
  ears: ['openai', 'deepgram', 'eleven_labs', 'azure'],
} as const

const names: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  azure: 'Azure',
  eleven_labs: 'ElevenLabs',
  deepgram: 'Deepgram',
  espeak: 'eSpeak',
  pico: 'Pico',
}

/** Speech providers, built-in one first; `present` may have another spelling. */
const useProviders = (): ((kind: keyof typeof known, present: string) => { value: string; label: string }[]) => {
  const say = useText(text)
  const nameOf = (value: string): string => (value === 'embedded' ? say.embedded : (names[value] ?? value))
  return (kind, present) => [
    { value: '', label: say.embedded },
    ...[...new Set([...known[kind], ...(present === '' ? [] : [present])])].map((value) => ({ value, label: nameOf(value) })),
  ]
}
