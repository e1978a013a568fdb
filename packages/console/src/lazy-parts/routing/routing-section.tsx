import { Button, Group, Stack, Alert, Anchor, NumberInput, Select, Switch, Text, TextInput } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm, fieldProblem, type Form } from '#parts/form/use-form.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { routingOf, valuesOf, type Routing, isPlain, nothing, type RoutingValues, type Way } from './routing-form.ts'
import { text } from './text.ts'
import { Link } from 'wouter'

interface RoutingOfProps {
  /** A line, group or flow. */
  target: string
  ofFlow?: boolean
  mayChange: boolean
}

/** Routing while closed and without an answer. */
export const RoutingSection = (of: RoutingOfProps) => {
  const say = useText(text)
  return (
    <Section title={say.title} description={say.hint}>
      <RoutingOf {...of} />
    </Section>
  )
}

/** The same without a section around it. */
export const RoutingOf = ({ target, ofFlow = false, mayChange }: RoutingOfProps) => {
  const routing = useRead('getRouting', { target })
  return (
    <Loaded query={routing}>
      {(read) => <RoutingForm key={JSON.stringify(read)} target={target} ofFlow={ofFlow} before={read} disabled={!mayChange} />}
    </Loaded>
  )
}

interface RoutingFormProps {
  target: string
  ofFlow: boolean
  before: Routing
  disabled: boolean
}

const RoutingForm = ({ target, ofFlow, before, disabled }: RoutingFormProps) => {
  const { save } = useText(partsText)
  const { form, write, send } = useRouting(target, before)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send()
  }
  return (
    <form noValidate onSubmit={submit}>
      <Stack maw={560}>
        <RoutingFields form={form} before={before} ofFlow={ofFlow} disabled={disabled} error={write.error} />
        <ErrorNotice error={write.error} />
        {!disabled && (
          <Group>
            <Button type="submit" loading={write.isPending} disabled={!form.changed}>
              {save}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

const useRouting = (target: string, before: Routing, onDone?: () => void) => {
  const say = useText(text)
  const toast = useToast()
  const write = useWrite('setRouting', {
    refreshes: ['getRouting', 'listSchedules', 'getSchedule'],
    onDone: () => {
      toast.done(say.saved)
      onDone?.()
    },
  })
  const form = useForm(valuesOf(before), write.error)
  return { form, write, send: (): void => write.mutate([{ target }, routingOf(form.values, before)]) }
}

/** The same for a number, which has no separate page. */
export const RoutingModal = ({ number: { id, number }, onClose }: { number: { id: string; number: string }; onClose: () => void }) => {
  const routing = useRead('getRouting', { target: id })
  return routing.data ? <NumberForm target={id} number={number} before={routing.data} onClose={onClose} /> : null
}

interface NumberFormProps {
  target: string
  number: string
  before: Routing
  onClose: () => void
}

const NumberForm = ({ target, number, before, onClose }: NumberFormProps) => {
  const say = useText(text)
  const { phone } = useFormat()
  const { form, write, send } = useRouting(target, before, onClose)
  return (
    <FormModal opened title={say.ofNumber(phone(number))} onClose={onClose} onSubmit={send} pending={write.isPending} error={write.error}>
      <RoutingFields form={form} before={before} ofFlow={false} disabled={false} error={write.error} />
    </FormModal>
  )
}

interface RoutingFieldsProps {
  form: Form<RoutingValues>
  before: Routing
  /** An assistant neither rings nor is busy. */
  ofFlow: boolean
  disabled: boolean
  error: unknown
}

const RoutingFields = (props: RoutingFieldsProps) => (
  <Stack>
    {!props.ofFlow && <AssistantSwitch {...props} />}
    {isPlain(props.before) ? <ClosedFields {...props} /> : <Special />}
    <OverflowFields {...props} />
  </Stack>
)

const Special = () => <Alert color="gray">{useText(text).special}</Alert>

/** The one switch that most people want; it sets the fields below. */
const AssistantSwitch = ({ form, disabled }: RoutingFieldsProps) => {
  const say = useText(text)
  const flows = useRead('listFlows').data?.items
  const { noAnswer } = form.values
  const first = flows?.[0]
  return (
    <Switch
      label={say.assistant}
      description={flows?.length === 0 ? say.noFlow : say.assistantHint}
      checked={noAnswer.choice.startsWith('FLOW:')}
      disabled={disabled || first === undefined}
      onChange={(event) =>
        form.set('noAnswer', event.currentTarget.checked && first ? { choice: `FLOW:${first.id}`, number: '' } : nothing)
      }
    />
  )
}

const ClosedFields = ({ form, ofFlow, disabled, error }: RoutingFieldsProps) => {
  const say = useText(text)
  const schedules = useRead('listSchedules').data?.items
  const { scheduleId, closed } = form.values
  if (schedules?.length === 0)
    return (
      <Text size="sm">
        {say.hoursMissing}{' '}
        <Anchor component={Link} href="/hours" inherit>
          {say.toHours}
        </Anchor>
      </Text>
    )
  return (
    <>
      <Select
        label={say.hours}
        data={[{ value: '', label: say.noHours }, ...(schedules ?? []).map(({ id, name }) => ({ value: id, label: name }))]}
        value={scheduleId}
        onChange={(chosen) => form.set('scheduleId', chosen ?? '')}
        allowDeselect={false}
        disabled={disabled}
      />
      {scheduleId !== '' && (
        <WayField
          label={say.closed}
          otherwise={say.choices.usual}
          value={closed}
          onChange={(way) => form.set('closed', way)}
          voicemail={!ofFlow}
          disabled={disabled}
          error={fieldProblem(error, 'rules/0/to')}
        />
      )}
    </>
  )
}

const OverflowFields = ({ form, ofFlow, disabled, error }: RoutingFieldsProps) => {
  const say = useText(text)
  const { noAnswer, seconds, busy, unreachable } = form.values
  const shared = { disabled, voicemail: !ofFlow }
  const otherwise = noAnswer.choice === '' ? say.choices.usual : say.choices.asNoAnswer
  if (ofFlow)
    return (
      <WayField
        {...shared}
        label={say.flowUnreachable}
        otherwise={say.choices.usual}
        value={unreachable}
        onChange={(way) => form.set('unreachable', way)}
        error={fieldProblem(error, 'overflow')}
      />
    )
  return (
    <>
      <WayField
        {...shared}
        label={say.noAnswer}
        otherwise={say.choices.usual}
        value={noAnswer}
        onChange={(way) => form.set('noAnswer', way)}
        error={fieldProblem(error, 'overflow')}
      >
        {noAnswer.choice !== '' && (
          <NumberInput
            label={say.seconds}
            min={5}
            max={120}
            allowDecimal={false}
            value={seconds}
            disabled={disabled}
            w={150}
            onChange={(value) => form.set('seconds', Number(value))}
          />
        )}
      </WayField>
      <WayField {...shared} label={say.busy} otherwise={otherwise} value={busy} onChange={(way) => form.set('busy', way)} />
      <WayField
        {...shared}
        label={say.unreachable}
        otherwise={otherwise}
        value={unreachable}
        onChange={(way) => form.set('unreachable', way)}
      />
    </>
  )
}

interface WayFieldProps {
  label: string
  /** Label of the empty choice. */
  otherwise: string
  value: Way
  onChange: (way: Way) => void
  /** A flow has no voicemail. */
  voicemail: boolean
  disabled: boolean
  error?: ReactNode
  /** Further content of the row. */
  children?: ReactNode
}

const others = ['VOICEMAIL', 'ANNOUNCE', 'REFUSE', 'FORWARD'] as const

/** Routing action as one choice: an assistant by name, or another action. */
const WayField = ({ label, otherwise, value, onChange, voicemail, disabled, error, children }: WayFieldProps) => {
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
