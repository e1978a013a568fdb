import { Button, NumberInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './billing-text.ts'

type Billing = OutputOf<'readBilling'>

/** Seller data, and payment instructions. */
export const BillingSection = () => {
  const say = useText(text)
  const [changing, setChanging] = useState(false)
  const billing = useRead('readBilling')
  return (
    <Section
      title={say.title}
      description={say.hint}
      actions={
        <Button size="xs" variant="default" disabled={!billing.data} onClick={() => setChanging(true)}>
          {say.change}
        </Button>
      }
    >
      <Loaded query={billing}>
        {({ sellerName, sellerAddress, taxId, taxPercent, topUpUrl, topUpText }) => (
          <Facts
            facts={[
              [say.sellerName, sellerName ?? say.nothing],
              [say.sellerAddress, sellerAddress],
              [say.taxId, taxId],
              [say.taxPercent, taxPercent === undefined ? undefined : `${taxPercent} %`],
              [say.topUpText, topUpText],
              [say.topUpUrl, topUpUrl],
            ]}
          />
        )}
      </Loaded>
      {changing && billing.data && <ChangeBilling billing={billing.data} onClose={() => setChanging(false)} />}
    </Section>
  )
}

const ChangeBilling = ({ billing, onClose }: { billing: Billing; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const [input, setWish] = useState<Input>(billing)
  const write = useWrite('setBilling', {
    refreshes: ['readBilling'],
    onDone: () => {
      toast.done(saved)
      onClose()
    },
  })
  const field = (key: 'sellerName' | 'sellerAddress' | 'taxId' | 'topUpText' | 'topUpUrl') => ({
    label: say[key],
    value: input[key] ?? '',
    error: fieldProblem(write.error, key),
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => setWish({ ...input, [key]: value }),
  })
  return (
    <FormModal
      opened
      title={say.title}
      onClose={onClose}
      onSubmit={() => write.mutate([{}, withoutEmpty(input)])}
      pending={write.isPending}
      error={write.error}
    >
      <TextInput {...field('sellerName')} />
      <Textarea autosize minRows={2} {...field('sellerAddress')} />
      <TextInput {...field('taxId')} />
      <NumberInput
        label={say.taxPercent}
        description={say.taxHint}
        min={0}
        max={100}
        value={input.taxPercent ?? ''}
        error={fieldProblem(write.error, 'taxPercent')}
        onChange={(value) => setWish({ ...input, taxPercent: typeof value === 'number' ? value : undefined })}
      />
      <TextInput {...field('topUpText')} description={say.topUpHint} />
      <TextInput {...field('topUpUrl')} placeholder="https://" />
    </FormModal>
  )
}

/** Emptied fields are omitted. */
type Input = { [Key in keyof Billing]: Billing[Key] | undefined }

const withoutEmpty = (input: Input): Billing =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== '' && value !== undefined))
