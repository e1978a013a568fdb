import { Alert, SimpleGrid, TextInput } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { CountrySelect } from '#lazy-parts/country-select.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { Address } from './one-line.ts'
import { splitStreet } from './street.ts'
import { text } from './text.ts'

const fieldsOf = ({ country, postalCode, locality, region, streetAddress, extendedAddress }: Address) => ({
  countrycode: country,
  postcode: postalCode,
  city: locality,
  state: region,
  address1: extendedAddress,
  ...splitStreet(streetAddress),
})

/** Moving can switch numbers off, so it asks when there are some. */
export const AddressForm = ({ address, onClose }: { address: Address; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const numbers = useRead('listAddressNumbers', { addressId: address.id }).data?.items ?? []
  const change = useWrite('changeAddress', {
    refreshes: ['listAddresses', 'listAddressNumbers', 'listNumbers'],
    onDone: () => {
      toast.done(say.saved)
      onClose()
    },
  })
  const form = useForm(fieldsOf(address), change.error)
  const submit = async (): Promise<void> => {
    const sure =
      numbers.length === 0 || (await confirm({ title: say.confirmTitle, body: say.confirmBody(numbers.length), confirm: say.confirm }))
    if (sure) change.mutate([{ addressId: address.id }, form.values])
  }
  return (
    <FormModal
      opened
      title={say.changeTitle}
      onClose={onClose}
      onSubmit={() => void submit()}
      pending={change.isPending}
      error={change.error}
    >
      <Alert color="yellow" icon={<Icon name="alert" />}>
        {say.warning}
      </Alert>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.street} maxLength={200} data-autofocus {...form.text('street')} />
        <TextInput label={say.number} maxLength={20} {...form.text('number')} />
        <TextInput label={say.postcode} required maxLength={16} {...form.text('postcode')} />
        <TextInput label={say.city} required maxLength={100} {...form.text('city')} />
        <TextInput label={say.state} maxLength={100} {...form.text('state')} />
        <CountrySelect label={say.country} required {...form.value('countrycode')} />
      </SimpleGrid>
      <TextInput label={say.address1} maxLength={200} {...form.text('address1')} />
    </FormModal>
  )
}
