import { Button, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { useCountryName } from '#lazy-parts/country-select.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { AddressForm } from './address-form.tsx'
import { linesOf, type Address } from './one-line.ts'
import { text } from './text.ts'

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
        {/* Who sees no numbers is not told that there are none. */}
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
