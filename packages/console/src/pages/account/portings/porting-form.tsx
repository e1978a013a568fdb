import { Alert, Select, SimpleGrid, TagsInput, TextInput, Text } from '@mantine/core'
import { useMe } from '#api/use-me.ts'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OperationId, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { onOneLine, type Address } from '../addresses/addresses-page.tsx'
import { splitStreet } from '../addresses/street.ts'
import { text } from './text.ts'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { isPortingStatus, stuckStatuses } from './porting-track.ts'
import type { ReactNode } from 'react'
import { CountrySelect } from '#lazy-parts/country-select.tsx'

/** Empty contract holder. */
export const noHolder = { name: '', street: '', number: '', postcode: '', city: '', country: 'DE' }

type Holder = typeof noHolder

interface HolderFieldsProps {
  form: { values: Holder; set: (name: keyof Holder, value: string) => void }
  error: unknown
  /** Placed before the fields, to fill them in. */
  children?: ReactNode
}

/** Contract holder of the numbers to port, for customers and operators. */
export const HolderFields = ({ form: { values, set }, error, children }: HolderFieldsProps) => {
  const say = useText(text)
  const common = (name: keyof Holder) => ({ required: true, value: values[name], error: fieldProblem(error, `holder/${name}`) })
  const field = (name: keyof Holder) => ({
    ...common(name),
    onChange: (event: { currentTarget: { value: string } }) => set(name, event.currentTarget.value),
  })
  return (
    <>
      <div>
        <Text fw={600} component="h3">
          {say.holder}
        </Text>
        <Text size="sm" c="dimmed">
          {say.holderHint}
        </Text>
      </div>
      {children}
      <TextInput label={say.name} maxLength={200} {...field('name')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.street} maxLength={200} {...field('street')} />
        <TextInput label={say.houseNumber} maxLength={20} {...field('number')} />
        <TextInput label={say.postcode} maxLength={16} {...field('postcode')} />
        <TextInput label={say.city} maxLength={100} {...field('city')} />
      </SimpleGrid>
      <CountrySelect label={say.country} {...common('country')} onChange={(code) => set('country', code)} />
    </>
  )
}

const nothing = {
  numbers: [] as string[],
  carrier: '',
  portDate: '',
  email: '',
  ...noHolder,
}

type Values = typeof nothing

const refreshes: readonly OperationId[] = ['listPortings', 'listNumbers', 'listAddresses']

/** Starts a porting, or corrects its data. */
export const PortingForm = ({ porting, onClose }: { porting: Porting | undefined; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const done = (words: string): void => {
    toast.done(words)
    onClose()
  }
  const start = useWrite('startPorting', { refreshes, onDone: () => done(say.started) })
  const correct = useWrite('correctPorting', { refreshes, onDone: () => done(say.corrected) })
  const write = porting ? correct : start
  const form = useForm({ ...nothing, email: useMe()?.email ?? '' }, write.error)
  const submit = (): void => {
    const { numbers, carrier, portDate, email, ...holder } = form.values
    const dated = { holder, ...(portDate !== '' && { portDate }) }
    if (porting) correct.mutate([{ portingId: String(porting.id) }, { ...dated, ...(email !== '' && { email }) }])
    else start.mutate([{}, { ...dated, numbers, email, ...(carrier !== '' && { carrier }) }])
  }
  return (
    <FormModal
      opened
      title={porting ? say.correctTitle : say.startTitle}
      submit={porting ? say.correct : say.start}
      onClose={onClose}
      onSubmit={submit}
      pending={write.isPending}
      error={write.error}
      size="lg"
    >
      {porting ? (
        <Alert color="blue" icon={<Icon name="info" />}>
          {porting.status === 400 ? say.agreedHint : say.correctHint}
        </Alert>
      ) : (
        <NumberFields form={form} error={write.error} />
      )}
      <HolderFields form={form} error={write.error}>
        <AddressPicker form={form} />
      </HolderFields>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput type="email" label={say.email} description={say.emailHint} required {...form.text('email')} />
        <TextInput type="date" label={say.wishedDate} description={say.wishedHint} {...form.text('portDate')} />
      </SimpleGrid>
    </FormModal>
  )
}

const NumberFields = ({ form, error }: { form: Form<Values>; error: unknown }) => {
  const say = useText(text)
  return (
    <>
      <TagsInput
        label={say.numbers}
        description={say.numbersHint}
        placeholder={form.values.numbers.length === 0 ? '+49 30 1234567' : ''}
        required
        data-autofocus
        acceptValueOnBlur
        splitChars={[',', ';']}
        maxTags={100}
        value={form.values.numbers}
        onChange={(typed) => form.set('numbers', typed)}
        error={fieldProblem(error, 'numbers')}
      />
      <TextInput label={say.carrier} description={say.carrierHint} maxLength={12} {...form.text('carrier')} />
    </>
  )
}

/** Reuses an existing address of the account. */
const AddressPicker = ({ form }: { form: Form<Values> }) => {
  const say = useText(text)
  const may = useMay()
  const addresses = useRead('listAddresses', {}, { when: may('CAN_GET_ADDRESSES') }).data?.items ?? []
  if (addresses.length === 0) return null
  const take = ({ streetAddress, postalCode, locality, country }: Address): void =>
    form.reset({ ...form.values, ...splitStreet(streetAddress), postcode: postalCode, city: locality, country })
  const choose = (id: string | null): void => {
    const address = addresses.find((one) => one.id === id)
    if (address) take(address)
  }
  return <Select label={say.fromAddress} data={addresses.map((one) => ({ value: one.id, label: onOneLine(one) }))} onChange={choose} />
}

export type Porting = OutputOf<'listPortings'>['items'][number]

export const PortingState = ({ porting: { status, cancelRequested, correctionRequested } }: { porting: Porting }) => {
  const say = useText(text)
  if (!isPortingStatus(status)) return status
  if (cancelRequested || correctionRequested)
    return <StatusBadge tone="warning">{cancelRequested ? say.cancelAsked : say.correctionAsked}</StatusBadge>
  const tone = status === 500 ? 'good' : status === 600 ? 'quiet' : stuckStatuses.includes(status) ? 'bad' : 'busy'
  return <StatusBadge tone={tone}>{say.states[status]}</StatusBadge>
}
