import { Anchor, Group, SimpleGrid, Switch, Box, Button, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { Link, useParams } from 'wouter'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { AccountBalance } from './account-balance.tsx'
import { AccountDevices } from './account-devices.tsx'
import { AccountFacts } from './account-facts.tsx'
import { AccountGroups } from './account-groups.tsx'
import { AccountLimits } from './account-limits.tsx'
import { AccountUsers } from './account-users.tsx'
import { PrivacySection } from '#lazy-parts/privacy/privacy-section.tsx'
import { text } from './text.ts'
import { Section } from '#parts/page/section.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { retentionKinds, text as retentionText } from '#lazy-parts/retention-text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useState } from 'react'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import classes from './account-sections.module.css'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { CountrySelect, useCountryName } from '#lazy-parts/country-select.tsx'
import { Icon } from '#parts/icon/icon.tsx'

/** All about one account. */
export const AccountPage = () => {
  const say = useText(text)
  const { accountId = '' } = useParams()
  const account = useRead('readAccount', { accountId })
  return (
    <Page
      title={account.data?.company ?? accountId}
      back={{ to: '/operator/accounts', label: say.back }}
      description={
        <Group gap="md">
          <Anchor component={Link} href={`/operator/numbers?account=${accountId}`} size="sm">
            {say.numbers}
          </Anchor>
          <Anchor component={Link} href={`/operator/portings?account=${accountId}`} size="sm">
            {say.portings}
          </Anchor>
          <Anchor component={Link} href={`/operator/audit?chain=${accountId}`} size="sm">
            {say.audit}
          </Anchor>
        </Group>
      }
    >
      <Loaded query={account}>
        {(found) => (
          <>
            <AccountFacts account={found} />
            <AccountBalance accountId={accountId} />
            <AccountLimits accountId={accountId} />
            <AccountOutbound accountId={accountId} />
            <AccountRetention accountId={accountId} />
            <AccountFeatures accountId={accountId} />
            <AccountUsers accountId={accountId} />
            <AccountDevices accountId={accountId} />
            <AccountGroups accountId={accountId} />
            <AccountAddresses accountId={accountId} country={found.country} />
            <PrivacySection description={say.privacyHint} of={{ subject: { type: 'ACCOUNT' }, name: found.company, accountId }} mayErase />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Retention of the account's data; set by its administrators. */
export const AccountRetention = ({ accountId }: { accountId: string }) => {
  const { retentionHint, chosen } = useText(text)
  const say = useText(retentionText)
  const retention = useRead('readAccountRetention', { accountId })
  const daysOf = (days: number | null): string => (days === null ? say.forever : days === 0 ? say.notKept : say.days(days))
  return (
    <Section title={say.title} description={retentionHint}>
      <Loaded query={retention}>
        {(now) => (
          <Facts
            facts={retentionKinds.map((kind) => {
              const { days, effectiveDays } = now[kind]
              return [say.kinds[kind], days === null ? daysOf(effectiveDays) : chosen(daysOf(effectiveDays))]
            })}
          />
        )}
      </Loaded>
    </Section>
  )
}

type Feature = OutputOf<'listAccountFeatures'>['items'][number]

/** Booked features; each switch applies immediately. */
export const AccountFeatures = ({ accountId }: { accountId: string }) => {
  const say = useText(text)
  const toast = useToast()
  const features = useRead('listAccountFeatures', { accountId })
  const book = useWrite('bookAccountFeature', { refreshes: ['listAccountFeatures'] })
  const cancel = useWrite('cancelAccountFeature', { refreshes: ['listAccountFeatures'] })
  const set = (feature: Feature, booked: boolean): void =>
    (booked ? book : cancel).mutate([{ accountId, feature }], { onError: toast.failed })
  return (
    <Section title={say.features} description={say.featuresHint}>
      <Loaded query={features}>
        {({ items }) => (
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            {(Object.keys(say.featureNames) as Feature[]).map((feature) => (
              <Switch
                key={feature}
                label={say.featureNames[feature]}
                checked={items.includes(feature)}
                disabled={book.isPending || cancel.isPending}
                onChange={(event) => set(feature, event.currentTarget.checked)}
              />
            ))}
          </SimpleGrid>
        )}
      </Loaded>
    </Section>
  )
}

type Outbound = OutputOf<'readAccountOutbound'>

type Review = Outbound['reviews'][number]

/** Whether assistants may make outbound calls, and who decided it. */
export const AccountOutbound = ({ accountId }: { accountId: string }) => {
  const say = useText(text)
  const outbound = useRead('readAccountOutbound', { accountId })
  const [deciding, setDeciding] = useState(false)
  return (
    <Section
      title={say.outboundTitle}
      description={say.outboundHint}
      flush
      actions={
        <Button size="xs" variant="default" onClick={() => setDeciding(true)}>
          {say.decide}
        </Button>
      }
    >
      <Loaded query={outbound}>
        {(found) => (
          <>
            <Box className={classes.above}>
              <Allowed enabled={found.enabled} />
            </Box>
            <Reviews reviews={found.reviews.toReversed()} />
            {deciding && <DecideOutbound accountId={accountId} enabled={found.enabled} onClose={() => setDeciding(false)} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

const Allowed = ({ enabled }: { enabled: boolean }) => {
  const { outboundWords } = useText(text)
  return <StatusBadge tone={enabled ? 'good' : 'quiet'}>{enabled ? outboundWords.yes : outboundWords.no}</StatusBadge>
}

const Reviews = ({ reviews }: { reviews: Review[] }) => {
  const say = useText(text)
  const columns: Column<Review>[] = [
    { key: 'decision', header: say.decision, cell: ({ enabled }) => <Allowed enabled={enabled} /> },
    { key: 'reviewer', header: say.decidedBy, cell: ({ reviewer }) => reviewer },
    { key: 'reason', header: say.reason, cell: ({ reason }) => reason },
    { key: 'at', header: say.at, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  ]
  return (
    <List
      name="outbound"
      label={say.reviews}
      rows={reviews}
      columns={columns}
      rowKey={({ at }) => at}
      empty={
        <EmptyState icon="shield" title={say.noReview}>
          {say.noReviewHint}
        </EmptyState>
      }
    />
  )
}

export const DecideOutbound = ({ accountId, enabled, onClose }: { accountId: string; enabled: boolean; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const review = useWrite('reviewAccountOutbound', {
    refreshes: ['readAccountOutbound', 'readAccount', 'listAccounts'],
    onDone: () => {
      toast.done(say.decided)
      onClose()
    },
  })
  const form = useForm({ enabled: !enabled, reviewer: '', reason: '' }, review.error)
  return (
    <FormModal
      opened
      title={say.outboundTitle}
      onClose={onClose}
      onSubmit={() => review.mutate([{ accountId }, form.values])}
      submit={say.decide}
      pending={review.isPending}
      error={review.error}
    >
      <SegmentedControl
        aria-label={say.decision}
        data={[
          { value: 'yes', label: say.allow },
          { value: 'no', label: say.forbid },
        ]}
        value={form.values.enabled ? 'yes' : 'no'}
        onChange={(value) => form.set('enabled', value === 'yes')}
      />
      <TextInput label={say.reviewer} required {...form.text('reviewer')} />
      <Textarea label={say.reason} required autosize minRows={3} {...form.text('reason')} />
    </FormModal>
  )
}

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
