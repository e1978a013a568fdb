import { Alert, List as Points, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { MoneyInput } from '#lazy-parts/money-input.tsx'
import { text } from './text.ts'

/** Puts numbers into stock. Those that cannot be there stay in the field, with the reason. */
export const AddStock = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [written, setWritten] = useState('')
  const [price, setPrice] = useState<number>()
  const currency = useRead('listTariffs').data?.items[0]?.currency ?? ''
  const add = useWrite('addStock', {
    refreshes: ['readStock'],
    onDone: ({ added, refused }) => {
      if (added > 0) toast.done(say.added(added))
      if (refused.length === 0) onClose()
      else setWritten(refused.map(({ number }) => number).join('\n'))
    },
  })
  const numbers = written
    .split(/[\n,;]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const refused = add.data?.refused ?? []
  return (
    <FormModal
      opened
      title={say.add}
      submit={say.add}
      onClose={onClose}
      onSubmit={() => add.mutate([{}, { numbers, ...(price !== undefined && { price }) }])}
      disabled={numbers.length === 0}
      pending={add.isPending}
      error={add.error}
    >
      <Textarea
        label={say.numbers}
        description={say.numbersHint}
        autosize
        minRows={4}
        maxRows={12}
        required
        data-autofocus
        value={written}
        onChange={(event) => setWritten(event.currentTarget.value)}
        error={fieldProblem(add.error, 'numbers')}
      />
      <MoneyInput label={say.price} description={say.priceHint} currency={currency} value={price} onChange={setPrice} />
      {refused.length > 0 && (
        <Alert color="yellow" icon={<Icon name="alert" />} title={say.refused}>
          <Points size="sm">
            {refused.map(({ number, reason }) => (
              <Points.Item key={number}>
                {number}: {say.reasons[reason]}
              </Points.Item>
            ))}
          </Points>
        </Alert>
      )}
    </FormModal>
  )
}
