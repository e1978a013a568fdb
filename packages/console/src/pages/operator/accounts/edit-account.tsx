import { Select, TextInput } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import type { Account } from '../parts/find-accounts.ts'
import { text } from './text.ts'

export const EditAccount = ({ account, onClose }: { account: Account; onClose: () => void }) => {
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
