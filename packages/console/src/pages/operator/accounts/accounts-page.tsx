import { useState } from 'react'
import { api } from '#api/client.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useCountryName, CountrySelect } from '#lazy-parts/country-select.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useListState } from '#parts/list/use-list-state.ts'
import { usePages } from '#parts/list/use-pages.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import type { Account } from '../parts/account-link.tsx'
import { text } from './text.ts'
import { Group, Select, SimpleGrid, TextInput, Title } from '@mantine/core'
import { useLocation } from 'wouter'
import { FormModal } from '#parts/form/form-modal.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { fieldProblem, useForm, type Form } from '#parts/form/use-form.ts'

/** The accounts of the installation. */
export const AccountsPage = () => {
  const say = useText(text)
  const sought = useListState().search.trim()
  const filter = { ...(sought !== '' && { search: sought }) }
  const pages = usePages(
    'listAccounts',
    filter,
    (page) => api.listAccounts({ ...filter, ...page }),
    ({ id }) => id,
  )
  const [creating, setCreating] = useState(false)
  const columns = useColumns()
  const create = <AddButton onClick={() => setCreating(true)}>{say.create}</AddButton>
  const empty = (
    <EmptyState icon="group" title={say.none} action={create}>
      {say.noneHint}
    </EmptyState>
  )
  return (
    <Page title={say.title} description={say.description} actions={create}>
      <Section flush>
        <List
          pages={pages}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/operator/accounts/${id}`}
          search={say.search}
          empty={empty}
        />
      </Section>
      {creating && <CreateAccount onClose={() => setCreating(false)} />}
    </Page>
  )
}

const useColumns = (): Column<Account>[] => {
  const say = useText(text)
  const countryName = useCountryName()
  const tariffs = useRead('listTariffs').data?.items ?? []
  const tariffName = (id: string): string => tariffs.find((tariff) => tariff.id === id)?.name ?? id
  return [
    { key: 'company', header: say.company, cell: ({ company }) => company },
    { key: 'id', header: say.number, cell: ({ id }) => id },
    { key: 'country', header: say.country, cell: ({ country }) => countryName(country), wideOnly: true },
    { key: 'tariff', header: say.tariff, cell: ({ tariffId }) => (tariffId === undefined ? '–' : tariffName(tariffId)), wideOnly: true },
    {
      key: 'verified',
      header: say.verified,
      value: ({ verified }) => (verified ? say.verifiedWords.yes : say.verifiedWords.no),
      cell: ({ verified }) => (
        <StatusBadge tone={verified ? 'good' : 'quiet'}>{verified ? say.verifiedWords.yes : say.verifiedWords.no}</StatusBadge>
      ),
    },
    {
      key: 'outbound',
      header: say.outbound,
      value: ({ outboundEnabled }) => (outboundEnabled ? say.outboundWords.yes : say.outboundWords.no),
      cell: ({ outboundEnabled }) => (
        <StatusBadge tone={outboundEnabled ? 'good' : 'quiet'}>
          {outboundEnabled ? say.outboundWords.yes : say.outboundWords.no}
        </StatusBadge>
      ),
    },
    {
      key: 'created',
      header: say.created,
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
      wideOnly: true,
    },
  ]
}

const nothing = {
  company: '',
  country: '',
  currency: '',
  locale: 'de_DE',
  tariffId: null as string | null,
  email: '',
  firstname: '',
  lastname: '',
  password: '',
}

type Values = typeof nothing

/** Omits empty fields: the service has defaults. */
const bodyOf = ({ company, country, currency, locale, tariffId, email, firstname, lastname, password }: Values) => ({
  company,
  locale: locale as 'de_DE' | 'en_US',
  ...(country !== '' && { country }),
  ...(currency !== '' && { currency }),
  ...(tariffId !== null && { tariffId }),
  admin: { email, firstname, lastname, ...(password !== '' && { password }) },
})

/** A new account with its first administrator; a generated password is shown once. */
export const CreateAccount = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const [, go] = useLocation()
  const [made, setMade] = useState<OutputOf<'createAccount'>>()
  const finish = (id: string): void => go(`/operator/accounts/${id}`)
  const create = useWrite('createAccount', {
    refreshes: ['listAccounts'],
    onDone: (reply) => (reply.password === undefined ? finish(reply.id) : setMade(reply)),
  })
  const form = useForm(nothing, create.error)
  if (made)
    return (
      <SecretModal
        title={say.createdOne}
        secrets={[
          { label: say.email, value: form.values.email },
          { label: say.firstPassword, value: made.password ?? '' },
        ]}
        onClose={() => finish(made.id)}
      />
    )
  return (
    <FormModal
      opened
      title={say.create}
      onClose={onClose}
      onSubmit={() => create.mutate([{}, bodyOf(form.values)])}
      submit={say.create}
      pending={create.isPending}
      error={create.error}
      size="lg"
    >
      <AccountFields form={form} />
      <AdminFields form={form} error={create.error} />
    </FormModal>
  )
}

const AccountFields = ({ form }: { form: Form<Values> }) => {
  const say = useText(text)
  const tariffs = useRead('listTariffs')
  return (
    <>
      <TextInput label={say.company} required data-autofocus {...form.text('company')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={say.locale}
          description={say.localeHint}
          allowDeselect={false}
          data={[
            { value: 'de_DE', label: say.locales.de_DE },
            { value: 'en_US', label: say.locales.en_US },
          ]}
          {...form.value('locale')}
        />
        <Select
          label={say.tariff}
          description={say.tariffHint}
          clearable
          data={(tariffs.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          {...form.value('tariffId')}
        />
        <CountrySelect label={say.country} description={say.countryHint} clearable {...form.value('country')} />
        <TextInput label={say.currency} description={say.currencyHint} maxLength={3} {...form.text('currency')} />
      </SimpleGrid>
    </>
  )
}

const AdminFields = ({ form, error }: { form: Form<Values>; error: unknown }) => {
  const say = useText(text)
  return (
    <>
      <Title order={3}>{say.admin}</Title>
      <Group grow align="flex-start">
        <TextInput label={say.firstname} required {...form.text('firstname')} error={fieldProblem(error, 'admin/firstname')} />
        <TextInput label={say.lastname} required {...form.text('lastname')} error={fieldProblem(error, 'admin/lastname')} />
      </Group>
      <TextInput label={say.email} required type="email" {...form.text('email')} error={fieldProblem(error, 'admin/email')} />
      <TextInput
        label={say.password}
        description={say.passwordHint}
        autoComplete="new-password"
        {...form.text('password')}
        error={fieldProblem(error, 'admin/password')}
      />
    </>
  )
}
