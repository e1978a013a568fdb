import { Alert, Select, Switch, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { onOneLine } from '../addresses/addresses-page.tsx'
import { endpointKinds } from '../parts/endpoints.ts'
import { TargetPicker, useTarget } from '../parts/target-picker.tsx'
import { orderText } from './order-text.ts'

type Offer = OutputOf<'listStock'>['items'][number]

const unspecified = { endpointId: '', endpointUrl: '' }
const settleMs = 300

/** Search and order of a free number. */
export const OrderNumber = ({ onClose }: { onClose: () => void }) => {
  const say = useText(orderText)
  const { written, setWritten, digits, offers, currency } = useOffers()
  const [stockId, setStockId] = useState<string | null>(null)
  const [addressId, setAddressId] = useState<string | null>(null)
  const target = useTarget(unspecified, 'line')
  const [through, setThrough] = useState(false)
  const order = useOrder(onClose)
  const offer = offers?.find(({ id }) => id === stockId)
  const submit = (): void => {
    const address = offer?.needsAddress && addressId !== null ? { addressId } : undefined
    const routed = through && target.endpointId !== '' ? { endpointId: target.endpointId } : undefined
    order.mutate([{}, { stockId: stockId ?? '', ...address, ...routed }])
  }
  return (
    <FormModal
      opened
      title={say.title}
      submit={say.order}
      onClose={onClose}
      onSubmit={submit}
      disabled={!offer || (offer.needsAddress && addressId === null)}
      pending={order.isPending}
      error={order.error}
    >
      <TextInput
        label={say.search}
        description={say.searchHint}
        inputMode="numeric"
        data-autofocus
        value={written}
        onChange={(event) => setWritten(event.currentTarget.value)}
      />
      {offers?.length === 0 ? (
        <Alert color="yellow" icon={<Icon name="alert" />}>
          {digits === '' ? say.none : say.noMatch}
        </Alert>
      ) : (
        <OfferSelect offers={offers ?? []} currency={currency} value={stockId} onChange={setStockId} />
      )}
      {offer?.needsAddress && (
        <AddressSelect place={offer.place} value={addressId} onChange={setAddressId} error={fieldProblem(order.error, 'addressId')} />
      )}
      <Switch label={say.through} checked={through} onChange={(event) => setThrough(event.currentTarget.checked)} />
      {through && <TargetPicker target={target} kinds={endpointKinds} error={fieldProblem(order.error, 'endpointId')} />}
    </FormModal>
  )
}

const useOffers = () => {
  const [written, setWritten] = useState('')
  const [digits] = useDebouncedValue(written.replaceAll(/\D/g, '').replace(/^0+/, ''), settleMs)
  const { data } = useRead('listStock', digits === '' ? {} : { digits })
  return { written, setWritten, digits, offers: data?.items, currency: data?.currency ?? '' }
}

const useOrder = (onClose: () => void) => {
  const say = useText(orderText)
  const toast = useToast()
  return useWrite('orderNumber', {
    refreshes: ['listNumbers', 'listStock', 'getBalance', 'listInternalContacts'],
    onDone: ({ localized }) => {
      toast.done(say.ordered(localized))
      onClose()
    },
  })
}

interface OfferSelectProps {
  offers: readonly Offer[]
  currency: string
  value: string | null
  onChange: (stockId: string | null) => void
}

const OfferSelect = ({ offers, currency, value, onChange }: OfferSelectProps) => {
  const say = useText(orderText)
  const { money } = useFormat()
  const label = ({ localized, place, price }: Offer): string =>
    [localized, place, price === 0 ? say.free : money(price, currency)].filter((part) => part !== '').join(' · ')
  return (
    <Select
      label={say.number}
      placeholder={say.choose}
      required
      data={offers.map((offer) => ({ value: offer.id, label: label(offer) }))}
      value={value}
      onChange={onChange}
    />
  )
}

interface AddressSelectProps {
  place: string
  value: string | null
  onChange: (addressId: string | null) => void
  error: ReactNode
}

const AddressSelect = ({ place, value, onChange, error }: AddressSelectProps) => {
  const say = useText(orderText)
  const addresses = useRead('listAddresses').data?.items
  if (addresses?.length === 0)
    return (
      <Alert color="yellow" icon={<Icon name="alert" />}>
        <Text size="sm">{say.noAddress(place)}</Text>
      </Alert>
    )
  return (
    <Select
      label={say.address}
      description={say.addressHint(place)}
      required
      data={(addresses ?? []).map((address) => ({ value: address.id, label: onOneLine(address) }))}
      value={value}
      onChange={onChange}
      error={error}
    />
  )
}
