import { SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useMe } from '#api/use-me.ts'
import { useWrite } from '#api/use-service.ts'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { LanguageSelect, TimezoneSelect } from '#lazy-parts/profile-selects.tsx'
import { fullName, type User } from '#lazy-parts/people.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { RoleSelect } from './role-select.tsx'
import { text } from './text.ts'

/** By an administrator; only what differs is sent, so that a language that nobody chose stays so. */
export const EditUserForm = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const me = useMe()?.id
  const [link, setLink] = useState<string>()
  const { firstname, lastname, email, role, locale, timezone } = user
  const began = { firstname, lastname, email, role, locale, timezone }
  const change = useWrite('changeUser', {
    refreshes: ['getUser', 'listUsers', 'listRestrictions'],
    onDone: ({ emailLink }) => {
      if (emailLink !== undefined) return setLink(emailLink)
      toast.done(form.values.email === email ? saved : say.emailSent)
      onClose()
    },
  })
  const form = useForm(began, change.error)
  const submit = (): void => {
    const differing = Object.entries(form.values).filter(([name, value]) => value !== began[name as keyof typeof began])
    change.mutate([{ userId: user.id }, Object.fromEntries(differing)])
  }
  if (link !== undefined) return <SecretModal title={say.linkTitle} secrets={[{ label: say.link, value: link }]} onClose={onClose} />
  return (
    <FormModal
      opened
      title={say.editTitle(fullName(user))}
      onClose={onClose}
      onSubmit={submit}
      pending={change.isPending}
      error={change.error}
    >
      <SimpleGrid cols={2}>
        <TextInput label={say.firstname} data-autofocus {...form.text('firstname')} />
        <TextInput label={say.lastname} {...form.text('lastname')} />
      </SimpleGrid>
      <TextInput label={say.email} type="email" autoComplete="off" {...form.text('email')} />
      <RoleSelect {...form.value('role')} disabled={user.id === me} />
      <LanguageSelect label={say.language} {...form.value('locale')} />
      <TimezoneSelect label={say.timezone} {...form.value('timezone')} />
    </FormModal>
  )
}
