import { Alert, Anchor, NumberInput, Select, Stack, Switch, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '#api/use-service.ts'
import { fieldProblem, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { isPlain, nothing, type Routing, type RoutingValues } from './routing-form.ts'
import { text } from './text.ts'
import { WayField } from './way-field.tsx'

export interface RoutingFieldsProps {
  form: Form<RoutingValues>
  before: Routing
  /** An assistant neither rings nor is busy. */
  ofFlow: boolean
  disabled: boolean
  error: unknown
}

export const RoutingFields = (props: RoutingFieldsProps) => (
  <Stack>
    {!props.ofFlow && <AssistantSwitch {...props} />}
    {isPlain(props.before) ? <ClosedFields {...props} /> : <Special />}
    <OverflowFields {...props} />
  </Stack>
)

const Special = () => <Alert color="gray">{useText(text).special}</Alert>

/** The one switch that most people want; what it does is seen in the fields below. */
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
