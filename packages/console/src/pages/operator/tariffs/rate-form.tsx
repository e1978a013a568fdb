import { NumberInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { MoneyInput } from '#lazy-parts/money-input.tsx'
import { text } from './text.ts'
import { bodyOf, freshRate, isReadable, lasts, services, type RateValues, type Service } from './rate-values.ts'

interface RateFormProps {
  tariffId: string
  currency: string
  /** What is looked at now; another may be chosen. */
  service: Service
  onClose: () => void
}

export const RateForm = ({ tariffId, currency, service, onClose }: RateFormProps) => {
  const say = useText(text)
  const toast = useToast()
  const write = useWrite('setRate', {
    refreshes: ['listRates'],
    onDone: () => {
      toast.done(say.added)
      onClose()
    },
  })
  const form = useForm({ ...freshRate, service }, write.error)
  return (
    <FormModal
      opened
      title={say.addRate}
      onClose={onClose}
      onSubmit={() => write.mutate([{ tariffId }, bodyOf(form.values)])}
      submit={say.addRate}
      disabled={!isReadable(form.values)}
      pending={write.isPending}
      error={write.error}
    >
      <Select
        label={say.service}
        allowDeselect={false}
        data={services.map((value) => ({ value, label: say.services[value] }))}
        {...form.value('service')}
      />
      <TextInput label={say.prefix} description={say.prefixHint} inputMode="numeric" {...form.text('prefix')} />
      <Switch label={say.blockedSwitch} {...form.tick('blocked')} />
      {!form.values.blocked && <Prices form={form} currency={currency} />}
      <TextInput type="datetime-local" label={say.validFrom} description={say.validFromHint} {...form.text('validFrom')} />
    </FormModal>
  )
}

const Prices = ({ form, currency }: { form: Form<RateValues>; currency: string }) => {
  const say = useText(text)
  const price = (name: 'connectFee' | 'ratePerMinute' | 'perUnit') => ({
    label: say[name],
    currency,
    value: form.values[name],
    onChange: (value: number | undefined) => form.set(name, value),
    error: form.value(name).error,
  })
  if (!lasts(form.values.service)) return <MoneyInput key="perUnit" {...price('perUnit')} />
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <MoneyInput {...price('ratePerMinute')} />
      <MoneyInput {...price('connectFee')} />
      <NumberInput label={say.minSeconds} min={0} max={3600} {...form.value('minSeconds')} />
      <NumberInput label={say.incrementSeconds} min={1} max={3600} {...form.value('incrementSeconds')} />
    </SimpleGrid>
  )
}
