import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { MoneyInput } from '#lazy-parts/money-input.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './text.ts'

type Balance = OutputOf<'readBalance'>

interface BookFormProps {
  accountId: string
  purse: Balance
  action: 'topUp' | 'adjust'
  onClose: () => void
}

/** A payment, or a correction. The idempotency key is created once per form: sending it twice books once. */
export const BookForm = ({ accountId, purse: { currency, amount: before }, action, onClose }: BookFormProps) => {
  const say = useText(text)
  const format = useFormat()
  const confirm = useConfirm()
  const toast = useToast()
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const write = useWrite(action === 'topUp' ? 'topUpBalance' : 'adjustBalance', {
    refreshes: ['readBalance'],
    onDone: () => {
      toast.done(say.booked1)
      onClose()
    },
  })
  const [amount, setAmount] = useState<number>()
  const [asking, setAsking] = useState(false)
  const form = useForm({ reason: '' }, write.error)
  const ask = async (): Promise<void> => {
    if (amount === undefined) return
    const title = say.bookTitle(format.money(amount, currency))
    const body = say.bookBody(format.money(before + amount, currency))
    setAsking(true)
    if (await confirm({ title, body, confirm: say[action], danger: amount < 0 }))
      write.mutate([{ accountId }, { ...form.values, amount, idempotencyKey }])
    setAsking(false)
  }
  return (
    <FormModal
      opened={!asking}
      title={say[action]}
      onClose={onClose}
      onSubmit={() => void ask()}
      submit={say[action]}
      disabled={amount === undefined || amount === 0}
      pending={write.isPending}
      error={write.error}
    >
      <MoneyInput
        label={say.amount}
        currency={currency}
        required
        value={amount}
        onChange={setAmount}
        error={fieldProblem(write.error, 'amount')}
        {...(action === 'adjust' && { negative: true, description: say.adjustHint })}
      />
      <TextInput label={say.reason} description={say.reasonHint} required {...form.text('reason')} />
    </FormModal>
  )
}

export const CreditLimitForm = ({ accountId, purse, onClose }: { accountId: string; purse: Balance; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const [creditLimit, setCreditLimit] = useState<number | undefined>(purse.creditLimit)
  const write = useWrite('setCreditLimit', {
    refreshes: ['readBalance'],
    onDone: () => {
      toast.done(saved)
      onClose()
    },
  })
  return (
    <FormModal
      opened
      title={say.changeLimit}
      onClose={onClose}
      onSubmit={() => creditLimit !== undefined && write.mutate([{ accountId }, { creditLimit }])}
      disabled={creditLimit === undefined}
      pending={write.isPending}
      error={write.error}
    >
      <MoneyInput
        label={say.creditLimit}
        description={say.creditLimitHint}
        currency={purse.currency}
        value={creditLimit}
        onChange={setCreditLimit}
        error={fieldProblem(write.error, 'creditLimit')}
      />
    </FormModal>
  )
}
