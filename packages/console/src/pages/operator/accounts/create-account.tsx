import { Group, Select, SimpleGrid, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { CountrySelect } from '#lazy-parts/country-select.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { fieldProblem, useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

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

/** What was left empty is left out: then the service decides. */
const bodyOf = ({ company, country, currency, locale, tariffId, email, firstname, lastname, password }: Values) => ({
  company,
  locale: locale as 'de_DE' | 'en_US',
  ...(country !== '' && { country }),
  ...(currency !== '' && { currency }),
  ...(tariffId !== null && { tariffId }),
  admin: { email, firstname, lastname, ...(password !== '' && { password }) },
})

/** A new account with its first administrator; a password that was made is shown once. */
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
