import { NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { MoneyInput } from '#lazy-parts/money-input.tsx'
import { text } from './limits-text.ts'

interface LimitValues {
  perDay?: number
  paidCalls?: number
  opened?: string[]
}

interface LimitsFormProps {
  limits: LimitValues
  currency: string
  /** For every account without its own limits. */
  forAll?: boolean
  onSave: (limits: LimitValues) => void
  onClose: () => void
  pending: boolean
  error: unknown
}

export const LimitsForm = ({ limits, currency, forAll = false, onSave, onClose, pending, error }: LimitsFormProps) => {
  const say = useText(text)
  const [perDay, setPerDay] = useState(limits.perDay)
  const [paidCalls, setPaidCalls] = useState<number | string>(limits.paidCalls ?? '')
  const [opened, setOpened] = useState(limits.opened?.join(', ') ?? '')
  const save = (): void =>
    onSave({
      ...(perDay !== undefined && { perDay }),
      ...(paidCalls !== '' && { paidCalls: Number(paidCalls) }),
      opened: [...new Set(opened.toUpperCase().split(/[\s,+]+/))].filter((entry) => entry !== ''),
    })
  return (
    <FormModal opened title={say.change} onClose={onClose} onSubmit={save} pending={pending} error={error}>
      <MoneyInput
        label={say.perDay}
        description={forAll ? say.perDayHintForAll : say.perDayHint}
        currency={currency}
        value={perDay}
        onChange={setPerDay}
        error={fieldProblem(error, 'perDay')}
      />
      <NumberInput
        label={say.paidCalls}
        {...(!forAll && { description: say.paidCallsHint })}
        min={0}
        max={10_000}
        allowDecimal={false}
        value={paidCalls}
        onChange={setPaidCalls}
        error={fieldProblem(error, 'paidCalls')}
      />
      <TextInput
        label={say.opened}
        description={say.openedHint}
        autoComplete="off"
        value={opened}
        onChange={(event) => setOpened(event.currentTarget.value)}
        error={fieldProblem(error, 'opened')}
      />
    </FormModal>
  )
}
