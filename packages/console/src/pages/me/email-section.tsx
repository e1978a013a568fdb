import { Alert, Button, Group, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { useWrite } from '#api/use-service.ts'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import type { User } from '#lazy-parts/people.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const EmailSection = ({ user: { id: userId, email } }: { user: User }) => {
  const say = useText(text)
  const [sentTo, setSentTo] = useState<string>()
  const [link, setLink] = useState<string>()
  const change = useWrite('changeUser', {
    onDone: ({ emailLink }) => {
      setLink(emailLink)
      setSentTo(emailLink === undefined ? form.values.email : undefined)
    },
  })
  const form = useForm({ email }, change.error)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (!change.isPending) change.mutate([{ userId }, form.values])
  }
  return (
    <Section title={say.email} description={say.emailHint}>
      <form onSubmit={send} noValidate>
        <Group align="flex-end" gap="xs">
          <TextInput label={say.email} type="email" autoComplete="email" flex={1} {...form.text('email')} />
          <Button type="submit" loading={change.isPending} disabled={!form.changed}>
            {say.save}
          </Button>
        </Group>
        <ErrorNotice error={change.error} />
      </form>
      {sentTo !== undefined && (
        <Alert mt="md" role="status" icon={<Icon name="mail" />}>
          {say.emailSent(sentTo)}
        </Alert>
      )}
      <SecretModal
        title={say.emailLinkTitle}
        secrets={link === undefined ? undefined : [{ label: say.emailLink, value: link }]}
        onClose={() => setLink(undefined)}
      />
    </Section>
  )
}
