import { NativeSelect } from '@mantine/core'
import type { Form } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { Fields } from './fields.tsx'
import { isOneOf, mediaFormats, mediaModes, mediaRates, protocols, soundProtocols, type FlowForm } from './flow-form.ts'
import { text } from './protocol-text.ts'

const [own, ...others] = protocols
const groups = [
  { group: 'own', of: [own] },
  { group: 'words', of: others.filter((name) => !isOneOf(soundProtocols, name)) },
  { group: 'sound', of: soundProtocols },
] as const

interface FieldsProps {
  form: Form<FlowForm>
}

/** Protocol of the endpoint; third-party ones need one address, ours may also carry audio. */
export const ProtocolFields = ({ form }: FieldsProps) => {
  const say = useText(text)
  const present = form.values.protocol
  const protocol = isOneOf(protocols, present) ? present : 'offhook'
  return (
    <>
      <Fields>
        <NativeSelect
          label={say.protocol}
          description={say.needs[protocol]}
          data={groups.map(({ group, of }) => ({
            group: say.groups[group],
            items: of.map((value) => ({ value, label: say.protocols[value] })),
          }))}
          {...form.text('protocol')}
          value={protocol}
        />
        {protocol === 'offhook' && <MediaMode form={form} modes={mediaModes} />}
        {isOneOf(soundProtocols, protocol) && <MediaMode form={form} modes={soundModes} />}
      </Fields>
      {protocol === 'offhook' && mediaModeOf(form.values) !== 'text' && <MediaFormat form={form} />}
    </>
  )
}

/** Modes of audio protocols. */
const soundModes = ['audio', 'both'] as const

const mediaModeOf = (values: FlowForm): (typeof mediaModes)[number] => {
  const present = values['media/mode']
  return isOneOf(mediaModes, present) ? present : 'text'
}

/** The first mode is the default. */
const MediaMode = ({ form, modes }: FieldsProps & { modes: readonly (typeof mediaModes)[number][] }) => {
  const say = useText(text)
  const present = mediaModeOf(form.values)
  const mode = modes.includes(present) ? present : (modes[0] ?? present)
  return (
    <NativeSelect
      label={say.media}
      description={say.mediaHints[mode]}
      data={modes.map((value) => ({ value, label: say.mediaModes[value] }))}
      {...form.text('media/mode')}
      value={mode}
    />
  )
}

const MediaFormat = ({ form }: FieldsProps) => {
  const say = useText(text)
  const { number } = useFormat()
  const present = form.values['media/format']
  const format = isOneOf(mediaFormats, present) ? present : 'pcm16'
  const isPcm = format === 'pcm16'
  const rates = isPcm ? mediaRates : mediaRates.slice(0, 1)
  return (
    <Fields>
      <NativeSelect
        label={say.format}
        data={mediaFormats.map((value) => ({ value, label: say.formats[value] }))}
        {...form.text('media/format')}
        value={format}
        onChange={(event) => {
          form.set('media/format', event.currentTarget.value)
          form.set('media/rate', '')
        }}
      />
      <NativeSelect
        label={say.rate}
        {...(!isPcm && { description: say.onlyRate })}
        data={[
          { value: '', label: say.defaultRate(number(isPcm ? 16_000 : 8000)) },
          ...rates.map((rate) => ({ value: `${rate}`, label: number(rate) })),
        ]}
        {...form.value('media/rate')}
        onChange={({ currentTarget: { value } }) => form.set('media/rate', value === '' ? '' : Number(value))}
      />
    </Fields>
  )
}
