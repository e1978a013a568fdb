import { Anchor, Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useCountryName } from '#lazy-parts/country-select.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import type { Account } from '../parts/account-link.tsx'
import { text } from './text.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'

export const AccountFacts = ({ account }: { account: Account }) => {
  const say = useText(text)
  const [editing, setEditing] = useState(false)
  const countryName = useCountryName()
  const { id, country, verified, tariffId, locale, domain, createdAt } = account
  return (
    <Section
      title={say.facts}
      actions={
        <>
          <Button variant="default" size="xs" onClick={() => setEditing(true)}>
            {say.edit}
          </Button>
          <AccountMenu account={account} />
        </>
      }
    >
      <Facts
        facts={[
          [say.number, id],
          [
            say.verified,
            <StatusBadge key="verified" tone={verified ? 'good' : 'quiet'}>
              {verified ? say.verifiedWords.yes : say.verifiedWords.no}
            </StatusBadge>,
          ],
          [say.tariff, tariffId === undefined ? say.noTariff : <TariffLink key="tariff" tariffId={tariffId} />],
          [say.country, countryName(country)],
          [say.locale, say.locales[locale]],
          [say.domain, domain],
          [say.created, <Time key="created" at={createdAt} />],
        ]}
      />
      {editing && <EditAccount account={account} onClose={() => setEditing(false)} />}
    </Section>
  )
}

const TariffLink = ({ tariffId }: { tariffId: string }) => {
  const tariffs = useRead('listTariffs').data?.items ?? []
  return (
    <Anchor component={Link} href={`/operator/tariffs/${tariffId}`} inherit>
      {tariffs.find(({ id }) => id === tariffId)?.name ?? tariffId}
    </Anchor>
  )
}

const AccountMenu = ({ account: { id, company, verified } }: { account: Account }) => {
  const say = useText(text)
  const shared = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const [, go] = useLocation()
  const send = useWrite('sendAccountVerification', { onDone: () => toast.done(say.codeSent) })
  const close = useWrite('closeAccount', {
    refreshes: ['listAccounts'],
    onDone: () => {
      toast.done(say.closed)
      go('/operator/accounts')
    },
  })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.closeTitle(company), body: say.closeBody, confirm: say.close }))
      close.mutate([{ accountId: id }], { onError: toast.failed })
  }
  const sendCode = (): void => send.mutate([{ accountId: id }], { onError: toast.failed })
  return (
    <RowMenu
      label={shared.actionsFor(company)}
      actions={[
        { label: say.sendCode, icon: 'mail', onClick: sendCode, disabled: verified },
        { label: say.close, icon: 'trash', onClick: () => void ask(), danger: true },
      ]}
    />
  )
}

const EditAccount = ({ account, onClose }: { account: Account; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const tariffs = useRead('listTariffs')
  const save = useWrite('updateAccount', {
    refreshes: ['readAccount', 'listAccounts'],
    onDone: () => {
      toast.done(saved)
      onClose()
    },
  })
  const { company, locale, logoUrl, tariffId = '' } = account
  const form = useForm({ company, locale, logoUrl, tariffId }, save.error)
  const submit = (): void => {
    const { tariffId: tariff, ...rest } = form.values
    save.mutate([{ accountId: account.id }, { ...rest, ...(tariff !== '' && { tariffId: tariff }) }])
  }
  return (
    <FormModal opened title={account.company} onClose={onClose} onSubmit={submit} pending={save.isPending} error={save.error}>
      <TextInput label={say.company} required {...form.text('company')} />
      <Select
        label={say.locale}
        allowDeselect={false}
        data={[
          { value: 'de_DE', label: say.locales.de_DE },
          { value: 'en_US', label: say.locales.en_US },
        ]}
        {...form.value('locale')}
      />
      <Select
        label={say.tariff}
        allowDeselect={false}
        data={(tariffs.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        {...form.value('tariffId')}
      />
      <TextInput label={say.logoUrl} {...form.text('logoUrl')} />
    </FormModal>
  )
}
