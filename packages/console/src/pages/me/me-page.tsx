import { Button, Group, Alert, TextInput, PasswordInput, Stack, SimpleGrid } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText, useLanguage } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useState, type FormEvent } from 'react'
import { useWrite, useRead, type OutputOf } from '#api/use-service.ts'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import type { User } from '#lazy-parts/people.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { LanguageSelect, TimezoneSelect } from '#lazy-parts/profile-selects.tsx'
import { languageFor } from '#words/languages.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Time } from '#parts/value/values.tsx'

/** Personal settings. */
export const MePage = () => {
  const say = useText(text)
  const may = useMay()
  const me = useMe()
  return (
    <Page title={say.title} description={say.lead} width="narrow">
      {me === undefined ? (
        <WaitingRows />
      ) : (
        <>
          <AboutSection user={me} />
          <EmailSection key={me.email} user={me} />
          <PasswordSection user={me} />
          <SessionsSection />
          <Section title={say.more} description={say.moreHint}>
            <Group gap="xs">
              <Button variant="default" component={Link} href="/security" leftSection={<Icon name="shield" size={16} />}>
                {say.security}
              </Button>
              <Button variant="default" component={Link} href="/privacy" leftSection={<Icon name="download" size={16} />}>
                {say.privacy}
              </Button>
              {may('CAN_MANAGE_TOKENS') && (
                <Button variant="default" component={Link} href="/access" leftSection={<Icon name="key" size={16} />}>
                  {say.access}
                </Button>
              )}
            </Group>
          </Section>
        </>
      )}
    </Page>
  )
}

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
          {/* Password managers need the user name. */}
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

export const AboutSection = ({ user }: { user: User }) => {
  const say = useText(text)
  const toast = useToast()
  const { language, choose } = useLanguage()
  const { firstname, lastname, timezone } = user
  // Without a chosen language: that of this browser.
  const locale = user.localeChosen ? user.locale : language === 'de' ? ('de_DE' as const) : ('en_US' as const)
  const change = useWrite('changeUser', {
    refreshes: ['getUser', 'listUsers', 'getUserInfo'],
    onDone: (_reply, [, input]) => {
      toast.done(say.saved)
      form.reset(form.values)
      if (input?.locale !== undefined && input.locale !== locale) choose(languageFor([input.locale]))
    },
  })
  const form = useForm({ firstname, lastname, locale, timezone }, change.error)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    if (!change.isPending) change.mutate([{ userId: user.id }, form.values])
  }
  return (
    <Section title={say.about}>
      <form onSubmit={send} noValidate>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={say.firstname} autoComplete="given-name" {...form.text('firstname')} />
            <TextInput label={say.lastname} autoComplete="family-name" {...form.text('lastname')} />
            <LanguageSelect label={say.language} description={say.languageHint} {...form.value('locale')} />
            <TimezoneSelect label={say.timezone} {...form.value('timezone')} />
          </SimpleGrid>
          <ErrorNotice error={change.error} />
          <Group>
            <Button type="submit" loading={change.isPending} disabled={!form.changed}>
              {say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

type Session = OutputOf<'listLoginSessions'>['items'][number]

const refreshes = ['listLoginSessions'] as const

export const SessionsSection = () => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const sessions = useRead('listLoginSessions')
  const columns = useColumns()
  const onDone = (): void => toast.done(say.ended)
  const end = useWrite('endLoginSession', { refreshes, onDone })
  const endOthers = useWrite('endOtherLoginSessions', { refreshes, onDone })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.endOthers, body: say.endOthersBody, confirm: say.endOthers }))
      endOthers.mutate([], { onError: (error) => toast.failed(error) })
  }
  const others = sessions.data?.items.some(({ current }) => !current) ?? false
  return (
    <Section
      title={say.sessions}
      description={say.sessionsHint}
      flush
      actions={
        others && (
          <Button variant="default" onClick={() => void ask()}>
            {say.endOthers}
          </Button>
        )
      }
    >
      <List
        query={sessions}
        label={say.sessions}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={({ id, current, program }) =>
          !current && (
            <Button
              variant="subtle"
              size="compact-sm"
              aria-label={`${say.end}: ${program === '' ? say.unknown : program}`}
              onClick={() => end.mutate([{ sessionId: id }], { onError: (error) => toast.failed(error) })}
            >
              {say.end}
            </Button>
          )
        }
        empty={null}
      />
    </Section>
  )
}

const useColumns = (): Column<Session>[] => {
  const say = useText(text)
  const named = (program: string): string => (program === '' ? say.unknown : program)
  return [
    {
      key: 'program',
      header: say.program,
      cell: ({ program, current }) => (current ? `${named(program)} (${say.here})` : named(program)),
    },
    { key: 'place', header: say.place, cell: ({ place }) => place },
    {
      key: 'createdAt',
      header: say.loggedIn,
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
    {
      key: 'lastSeenAt',
      header: say.lastSeen,
      value: ({ lastSeenAt }) => lastSeenAt,
      cell: ({ lastSeenAt }) => <Time at={lastSeenAt} relative />,
    },
  ]
}
