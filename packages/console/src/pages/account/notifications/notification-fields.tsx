import { Select, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import type { InputOf } from '#api/use-service.ts'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { Choice as Place } from '../parts/use-endpoints.ts'
import { text } from './text.ts'

export type Input = InputOf<'createNotification'>[1]

/** Notifications tell of messages in both directions, of missed calls, and of voicemails that came in. */
const directionsOf: Record<Input['type'], readonly [Input['direction'], ...Input['direction'][]]> = {
  VOICEMAIL: ['INCOMING'],
  CALL: ['MISSED_INCOMING'],
  FAX: ['INCOMING', 'OUTGOING', 'ALL'],
  SMS: ['INCOMING', 'OUTGOING', 'ALL'],
}

const optionsOf = <Name extends string>(names: readonly Name[], words: Record<Name, string>) =>
  names.map((name) => ({ value: name, label: words[name] }))

interface EventFieldsProps {
  form: Form<Input>
  places: readonly Place[] | undefined
  chosen: Place | undefined
}

/** What is told: what happens, and where. */
export const EventFields = ({ form, places, chosen }: EventFieldsProps) => {
  const say = useText(text)
  const { type, direction } = form.values
  const chooseType = (wanted: Input['type']): void => {
    form.set('type', wanted)
    form.set('direction', directionsOf[wanted][0])
  }
  const types = optionsOf<Input['type']>(['VOICEMAIL', 'CALL', 'FAX', 'SMS'], say.types)
  return (
    <>
      <Choice label={say.about} options={types} value={type} onChange={chooseType} />
      {places?.length === 0 ? (
        <Text c="dimmed">{say.nothingThere}</Text>
      ) : (
        <Select
          label={say.endpoint}
          data={(places ?? []).map(({ id, alias }) => ({ value: id, label: alias }))}
          allowDeselect={false}
          disabled={!places}
          {...form.value('endpointId')}
          value={chosen?.id ?? null}
        />
      )}
      {directionsOf[type].length > 1 && (
        <Choice
          label={say.direction}
          options={optionsOf(directionsOf[type], say.directions)}
          value={direction}
          onChange={(wanted) => form.set('direction', wanted)}
        />
      )}
    </>
  )
}

/** How it is told, and whom. */
export const RecipientFields = ({ form }: { form: Form<Input> }) => {
  const say = useText(text)
  const { via } = form.values
  const byMail = via === 'EMAIL'
  const ways = optionsOf<Input['via']>(['EMAIL', 'SMS'], say.ways)
  return (
    <>
      <Choice label={say.via} options={ways} value={via} onChange={(wanted) => form.set('via', wanted)} />
      <TextInput
        label={byMail ? say.mail : say.number}
        type={byMail ? 'email' : 'tel'}
        required
        maxLength={254}
        {...form.text('recipient')}
      />
    </>
  )
}

interface ChoiceProps<Name extends string> {
  label: string
  options: { value: Name; label: string }[]
  value: Name
  onChange: (value: Name) => void
}

/** One of a few, all in sight. */
const Choice = <Name extends string>({ label, options, value, onChange }: ChoiceProps<Name>) => (
  <Stack gap={4}>
    <Text size="sm" fw={550}>
      {label}
    </Text>
    <SegmentedControl aria-label={label} data={options} value={value} onChange={onChange} fullWidth />
  </Stack>
)
