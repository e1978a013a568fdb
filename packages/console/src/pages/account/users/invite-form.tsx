import { SimpleGrid, Text, TextInput } from '@mantine/core'
import type { UserRole } from '@offhook/contract/roles.ts'
import { useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { LanguageSelect } from '#lazy-parts/profile-selects.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { RoleSelect } from './role-select.tsx'
import { text } from './text.ts'

/** As it is written; what is empty is not sent. */
interface Input {
  email: string
  firstname: string
  lastname: string
  role: UserRole
  lineName: string
  locale: 'de_DE' | 'en_US'
}

export const InviteForm = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const { language } = useLanguage()
  const [link, setLink] = useState<string>()
  const invite = useWrite('createInvitation', {
    refreshes: ['listInvitations'],
    onDone: (sent) => {
      if (sent.link !== undefined) return setLink(sent.link)
      toast.done(say.invitedDone)
      onClose()
    },
  })
  const locale = language === 'de' ? 'de_DE' : 'en_US'
  const form = useForm<Input>({ email: '', firstname: '', lastname: '', role: 'USER', lineName: '', locale }, invite.error)
  const submit = (): void => {
    const { lineName, ...input } = form.values
    invite.mutate([{}, { ...input, ...(lineName !== '' && { lineName }) }])
  }
  if (link !== undefined) return <SecretModal title={say.linkTitle} secrets={[{ label: say.link, value: link }]} onClose={onClose} />
  return (
    <FormModal
      opened
      title={say.invite}
      submit={say.inviteSubmit}
      onClose={onClose}
      onSubmit={submit}
      pending={invite.isPending}
      error={invite.error}
    >
      <Text size="sm" c="dimmed">
        {say.inviteHint}
      </Text>
      <TextInput label={say.email} type="email" autoComplete="off" data-autofocus {...form.text('email')} />
      <SimpleGrid cols={2}>
        <TextInput label={say.firstname} {...form.text('firstname')} />
        <TextInput label={say.lastname} {...form.text('lastname')} />
      </SimpleGrid>
      <RoleSelect {...form.value('role')} />
      <TextInput
        label={say.lineName}
        description={say.lineNameHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        {...form.text('lineName')}
      />
      <LanguageSelect label={say.mailLanguage} {...form.value('locale')} />
    </FormModal>
  )
}
