import { Autocomplete, Group, NativeSelect, type AutocompleteProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useRead } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import { SayButton } from './say-button.tsx'
import { text } from './text.ts'
import { sampleText } from './sample-text.ts'

interface VoicePickerProps extends Pick<AutocompleteProps, 'label' | 'description'> {
  /** Empty: the built-in one. */
  provider: string
  /** BCP 47. */
  language: string
  /** Empty: one that fits the language. */
  value: string
  onChange: (voice: string) => void
  error?: ReactNode
}

/** Providers with a fixed list of voices. */
const closed: readonly string[] = ['', 'embedded', 'espeak']

/** A voice of a provider, with a sample button. */
export const VoicePicker = ({ provider, language, value, onChange, ...field }: VoicePickerProps) => {
  const say = useText(text)
  const known = useRead('listVoices', { provider: provider || 'embedded', language })
  const voices = known.data?.items ?? []
  const spoken = voices.find(({ id }) => id === value)?.language ?? language
  const data = [
    { value: '', label: say.anyVoice },
    ...voices.map(({ id, name, language: tag }) => ({ value: id, label: tag === undefined ? name : `${name} (${tag})` })),
    ...(value === '' || voices.some(({ id }) => id === value) ? [] : [{ value, label: value }]),
  ]
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      {closed.includes(provider) ? (
        <NativeSelect {...field} flex={1} data={data} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
      ) : (
        <Autocomplete {...field} flex={1} placeholder={say.anyVoice} data={voices.map(({ id }) => id)} value={value} onChange={onChange} />
      )}
      <SayButton
        {...(provider !== '' && { provider })}
        {...(value.trim() !== '' && { voice: value.trim() })}
        language={spoken}
        text={sampleText(spoken)}
      />
    </Group>
  )
}
