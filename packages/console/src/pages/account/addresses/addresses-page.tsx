import { Button, SimpleGrid, Stack, Text, Alert, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useCountryName, CountrySelect } from '#lazy-parts/country-select.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { splitStreet } from './street.ts'
import { text } from './text.ts'

export type Address = OutputOf<'listAddresses'>['items'][number]

/** Lines of an address, as on an envelope. */
export const linesOf = ({ extendedAddress, streetAddress, poBox, postalCode, locality, region }: Address): string[] =>
  [extendedAddress, streetAddress, poBox, `${postalCode} ${locality}`.trim(), region].filter((line) => line !== '')

export const onOneLine = (address: Address): string => linesOf(address).join(', ')

export const AddressesPage = () => {
  const say = useText(text)
  const addresses = useRead('listAddresses')
  const [changing, setChanging] = useState<Address>()
  return (
    <Page title={say.title} description={say.lead}>
      <Loaded query={addresses}>
        {({ items }) =>
          items.length === 0 ? (
            <Section>
              <EmptyState icon="pin" title={say.empty}>
                {say.emptyBody}
              </EmptyState>
            </Section>
          ) : (
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
              {items.map((address) => (
                <AddressCard key={address.id} address={address} onChange={() => setChanging(address)} />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
      {changing && <AddressForm key={changing.id} address={changing} onClose={() => setChanging(undefined)} />}
    </Page>
  )
}

const AddressCard = ({ address, onChange }: { address: Address; onChange: () => void }) => {
  const say = useText(text)
  const may = useMay()
  const countryName = useCountryName()
  const numbers = useRead('listAddressNumbers', { addressId: address.id }).data?.items
  const change = may('CAN_CHANGE_ADDRESSES') && (
    <Button variant="default" size="xs" onClick={onChange}>
      {say.change}
    </Button>
  )
  const lines = [...linesOf(address), countryName(address.country)]
  return (
    <Section title={lines[0] ?? say.address} actions={change}>
      <Stack gap="md">
        <div>
          {lines.slice(1).map((line) => (
            <Text key={line} size="sm">
              {line}
            </Text>
          ))}
        </div>
        {/* Hides the count from users who may not see numbers. */}
        <div hidden={!may('CAN_CHANGE_ADDRESSES')}>
          <Text size="xs" c="dimmed" mb={4}>
            {say.numbers}
          </Text>
          <Text size="sm">{numbers && <PhoneNumbers numbers={numbers.map(({ number }) => number)} none={say.noNumbers} />}</Text>
        </div>
      </Stack>
    </Section>
  )
}

const fieldsOf = ({ country, postalCode, locality, region, streetAddress, extendedAddress }: Address) => ({
  countrycode: country,
  postcode: postalCode,
  city: locality,
  state: region,
  address1: extendedAddress,
  ...splitStreet(streetAddress),
})

/** A new address can disable numbers, so it asks for confirmation if there are some. */
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
