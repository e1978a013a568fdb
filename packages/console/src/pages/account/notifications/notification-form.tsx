import { Select, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useWrite, type InputOf } from '../../../api/use-service.ts'
import { FormModal } from '../../../parts/form-modal.tsx'
import { useToast } from '../../../parts/toast.tsx'
import { useForm } from '../../../parts/use-form.ts'
import { useText } from '../../../words/use-text.tsx'
import type { EndpointKind } from '../endpoints.ts'
import { text as accountText } from '../text.ts'
import { useEndpoints } from '../use-endpoints.ts'
import { text } from './text.ts'

type Wish = InputOf<'createNotification'>[1]

/** What can tell something of each kind. */
const tellers: Record<Wish['type'], EndpointKind> = { VOICEMAIL: 'voicemail', FAX: 'fax', CALL: 'line', SMS: 'sms' }

/** Nobody leaves a voicemail from here; only calls can be missed. */
const directionsOf: Record<Wish['type'], readonly Wish['direction'][]> = {
  VOICEMAIL: ['INCOMING'],
  FAX: ['ALL', 'INCOMING', 'OUTGOING'],
  CALL: ['MISSED_INCOMING', 'INCOMING', 'OUTGOING', 'ALL'],
  SMS: ['INCOMING'],
}

const optionsOf = <Name extends string>(names: readonly Name[], words: Record<Name, string>) =>
  names.map((name) => ({ value: name, label: words[name] }))

export const NotificationForm = ({ userId, onClose }: { userId: string; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const create = useWrite('createNotification', {
    refreshes: ['listNotifications'],
    onDone: () => {
      toast.done(saved)
      onClose()
    },
  })
  const form = useForm<Wish>({ type: 'VOICEMAIL', via: 'EMAIL', direction: 'INCOMING', endpointId: '', recipient: '' }, create.error)
  const { type, via, endpointId } = form.values
  const places = useEndpoints(tellers[type], userId)
  const chosen = places?.find(({ id }) => id === endpointId) ?? places?.[0]
  const chooseType = (wanted: Wish['type']): void => {
    form.set('type', wanted)
    form.set('direction', directionsOf[wanted][0] ?? 'ALL')
  }
  return (
    <FormModal
      opened
      title={say.addTitle}
      onClose={onClose}
      onSubmit={() => create.mutate([{ userId }, { ...form.values, endpointId: chosen?.id ?? '' }])}
      disabled={chosen === undefined}
      pending={create.isPending}
      error={create.error}
    >
      <Choice
        label={say.about}
        options={optionsOf<Wish['type']>(['VOICEMAIL', 'CALL', 'FAX', 'SMS'], say.types)}
        value={type}
        onChange={chooseType}
      />
      {places?.length === 0 && <Text c="dimmed">{say.nothingThere}</Text>}
      <Select
        label={say.endpoint}
        data={(places ?? []).map(({ id, alias }) => ({ value: id, label: `${alias} (${id})` }))}
        allowDeselect={false}
        {...form.value('endpointId')}
        value={chosen?.id ?? null}
      />
      <Select
        label={say.direction}
        data={optionsOf(directionsOf[type], say.directions)}
        allowDeselect={false}
        {...form.value('direction')}
      />
      <Choice
        label={say.via}
        options={optionsOf<Wish['via']>(['EMAIL', 'SMS'], say.ways)}
        value={via}
        onChange={(wanted) => form.set('via', wanted)}
      />
      <TextInput
        label={via === 'EMAIL' ? say.mail : say.number}
        type={via === 'EMAIL' ? 'email' : 'tel'}
        required
        {...form.text('recipient')}
      />
    </FormModal>
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
    <Text size="sm" fw={500}>
      {label}
    </Text>
    <SegmentedControl aria-label={label} data={options} value={value} onChange={(chosen) => onChange(chosen as Name)} fullWidth />
  </Stack>
)
