import { Group, Select, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useRead } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import type { Way } from './routing-form.ts'
import { text } from './text.ts'

export interface WayFieldProps {
  label: string
  /** What it means to choose nothing. */
  otherwise: string
  value: Way
  onChange: (way: Way) => void
  /** A flow has no voicemail of its own. */
  voicemail: boolean
  disabled: boolean
  error?: ReactNode
  /** What else stands in the row. */
  children?: ReactNode
}

const others = ['VOICEMAIL', 'ANNOUNCE', 'REFUSE', 'FORWARD'] as const

/** What becomes of a call, as one choice: an assistant by its name, or something else. */
export const WayField = ({ label, otherwise, value, onChange, voicemail, disabled, error, children }: WayFieldProps) => {
  const say = useText(text)
  const flows = useRead('listFlows').data?.items ?? []
  const offered = others
    .filter((choice) => voicemail || choice !== 'VOICEMAIL')
    .map((choice) => ({ value: choice, label: say.choices[choice] }))
  const otherVoicemail = value.choice.startsWith('VOICEMAIL:') ? [{ value: value.choice, label: value.choice.replace(':', ' ') }] : []
  const data = [
    { value: '', label: otherwise },
    ...(flows.length > 0 ? [{ group: say.flows, items: flows.map(({ id, name }) => ({ value: `FLOW:${id}`, label: name })) }] : []),
    { group: say.others, items: [...offered, ...otherVoicemail] },
  ]
  return (
    <Group align="flex-start" gap="sm">
      <Select
        label={label}
        data={data}
        value={value.choice}
        onChange={(choice) => onChange({ ...value, choice: choice ?? '' })}
        allowDeselect={false}
        disabled={disabled}
        flex="1 1 15rem"
        error={value.choice === 'FORWARD' ? undefined : error}
      />
      {value.choice === 'FORWARD' && (
        <TextInput
          label={say.number}
          aria-label={`${label}: ${say.number}`}
          type="tel"
          placeholder="+49 30 1234567"
          required
          maxLength={40}
          value={value.number}
          disabled={disabled}
          flex="1 1 12rem"
          onChange={(event) => onChange({ ...value, number: event.currentTarget.value })}
          error={error}
        />
      )}
      {children}
    </Group>
  )
}
