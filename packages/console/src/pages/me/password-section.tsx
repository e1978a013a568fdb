import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import type { FormEvent } from 'react'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Section } from '#parts/page/section.tsx'
import type { User } from '#lazy-parts/people.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const PasswordSection = ({ user: { id: userId, email } }: { user: User }) => {
  const say = useText(text)
  const toast = useToast()
  const change = useWrite('changePassword', {
    refreshes: ['listLoginSessions', 'listGrants'],
    onDone: () => {
      form.reset({ oldPassword: '', newPassword: '' })
      toast.done(say.passwordChanged)
    },
  })
  const form = useForm({ oldPassword: '', newPassword: '' }, change.error)
  const { oldPassword, newPassword } = form.values
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (!change.isPending) change.mutate([{ userId }, form.values])
  }
  return (
    <Section title={say.password} description={say.passwordHint}>
      <form onSubmit={send} noValidate>
        <Stack maw={420}>
          {/* Password managers want to know whose password it is. */}
          <input type="text" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput label={say.oldPassword} autoComplete="current-password" {...form.text('oldPassword')} />
          <PasswordInput
            label={say.newPassword}
            description={say.newPasswordHint}
            autoComplete="new-password"
            {...form.text('newPassword')}
          />
          <ErrorNotice error={change.error} />
          <Group>
            <Button type="submit" loading={change.isPending} disabled={oldPassword === '' || newPassword === ''}>
              {say.changePassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
