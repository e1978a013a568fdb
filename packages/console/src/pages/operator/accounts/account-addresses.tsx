import { Button, SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { CountrySelect, useCountryName } from '#lazy-parts/country-select.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Address = OutputOf<'listAccountAddresses'>['items'][number]

export const AccountAddresses = ({ accountId, country }: { accountId: string; country: string }) => {
  const say = useText(text)
  const addresses = useRead('listAccountAddresses', { accountId })
  const [adding, setAdding] = useState(false)
  const countryName = useCountryName()
  const columns: Column<Address>[] = [
    { key: 'street', header: say.street, cell: ({ streetAddress }) => streetAddress },
    { key: 'city', header: say.city, cell: ({ postalCode, locality }) => `${postalCode} ${locality}` },
    { key: 'country', header: say.country, cell: (address) => countryName(address.country) },
  ]
  return (
    <Section
      title={say.addresses}
      description={say.addressesHint}
      flush
      actions={
        <Button size="xs" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
          {say.addAddress}
        </Button>
      }
    >
      <List
        name="addresses"
        query={addresses}
        label={say.addresses}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon="pin" title={say.noAddress}>
            {say.noAddressHint}
          </EmptyState>
        }
      />
      {adding && <AddAddress accountId={accountId} country={country} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const AddAddress = ({ accountId, country, onClose }: { accountId: string; country: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const create = useWrite('createAddress', {
    refreshes: ['listAccountAddresses'],
    onDone: () => {
      toast.done(say.addressAdded)
      onClose()
    },
  })
  const form = useForm({ street: '', number: '', postcode: '', city: '', countrycode: country }, create.error)
  return (
    <FormModal
      opened
      title={say.addAddress}
      onClose={onClose}
      onSubmit={() => create.mutate([{}, { accountId, ...form.values }])}
      submit={say.addAddress}
      pending={create.isPending}
      error={create.error}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput label={say.street} data-autofocus {...form.text('street')} />
        <TextInput label={say.houseNumber} {...form.text('number')} />
        <TextInput label={say.postcode} required {...form.text('postcode')} />
        <TextInput label={say.city} required {...form.text('city')} />
      </SimpleGrid>
      <CountrySelect label={say.country} required {...form.value('countrycode')} />
    </FormModal>
  )
}
