import { Button, Group, Select, SimpleGrid, TextInput, Alert, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { Link, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { languageFor, languageNames } from '#words/languages.ts'
import { useText } from '#words/use-text.tsx'
import { onOneLine } from '../addresses/addresses-page.tsx'
import { fullName, type User } from '#lazy-parts/people.ts'
import { PrivacySection } from '#lazy-parts/privacy/privacy-section.tsx'
import { text as accountText } from '../parts/text.ts'
import { useProblem } from '../parts/saved-text.tsx'
import { UserRoles } from '../roles/user-roles.tsx'
import { useNumbersOf } from '../parts/use-numbers-of.ts'
import { text } from './text.ts'
import { useMe } from '#api/use-me.ts'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { LanguageSelect, TimezoneSelect } from '#lazy-parts/profile-selects.tsx'
import type { UserRole } from '@offhook/contract/roles.ts'

export const UserPage = () => {
  const say = useText(text)
  const may = useMay()
  const { userId } = useParams<{ userId: string }>()
  const user = useRead('getUser', { userId })
  return (
    <Page title={user.data ? fullName(user.data) : say.user} back={{ to: '/users', label: say.back }} width="narrow">
      {user.isError && <ErrorNotice error={user.error} />}
      {user.isPending && <WaitingRows />}
      {user.data && (
        <>
          <About user={user.data} />
          {may('CAN_MANAGE_ROLES') && <UserRoles user={user.data} />}
          {may('CAN_CHANGE_DEFAULT_DEVICE') && <DefaultDevice user={user.data} />}
          <Belongings userId={userId} />
          {may('CAN_MANAGE_USERS') && <Leaving user={user.data} />}
          {may('CAN_ERASE_DATA') && (
            <PrivacySection
              description={say.privacyHint}
              of={{ subject: { type: 'USER', id: userId }, name: fullName(user.data) }}
              mayErase
            />
          )}
        </>
      )}
    </Page>
  )
}

const About = ({ user }: { user: User }) => {
  const say = useText(text)
  const manages = useMay()('CAN_MANAGE_USERS')
  const { id, email, role, active, locale, timezone, addressId } = user
  const [editing, setEditing] = useState(false)
  const numbers = useNumbersOf()(id)
  const addresses = useRead('listAddresses', {}, { when: addressId !== undefined }).data?.items ?? []
  const address = addresses.find(({ id }) => id === addressId)
  return (
    <Section
      title={say.about}
      actions={
        manages && (
          <Button variant="default" onClick={() => setEditing(true)}>
            {say.edit}
          </Button>
        )
      }
    >
      <Facts
        facts={[
          [say.email, email],
          [say.numbers, <PhoneNumbers key="numbers" numbers={numbers} none={say.none} />],
          [say.role, say.roles[role].name],
          [say.state, active ? say.active : say.inactive],
          [say.language, languageNames[languageFor([locale])]],
          [say.timezone, timezone],
          [say.address, address && onOneLine(address)],
        ]}
      />
      {editing && <EditUserForm user={user} onClose={() => setEditing(false)} />}
    </Section>
  )
}

const DefaultDevice = ({ user: { id: userId, defaultDevice } }: { user: User }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const devices = useRead('listUserDevices', { userId }).data?.items ?? []
  const choose = useWrite('setDefaultDevice', { refreshes: ['getUser', 'listUsers'], onDone: () => toast.done(saved) })
  return (
    <Section title={say.defaultDevice} description={say.defaultDeviceHint}>
      <Select
        aria-label={say.defaultDevice}
        placeholder={say.noDevice}
        maw={520}
        data={devices.map(({ id, alias }) => ({ value: id, label: alias }))}
        value={defaultDevice === '' ? null : defaultDevice}
        onChange={(deviceId) => deviceId !== null && choose.mutate([{ userId }, { deviceId }])}
        allowDeselect={false}
        disabled={devices.length === 0 || choose.isPending}
        error={useProblem(choose.error)}
      />
    </Section>
  )
}

const Belongings = ({ userId }: { userId: string }) => {
  const say = useText(text)
  const button = { variant: 'default' } as const
  return (
    <Section title={say.belongings}>
      <Group gap="xs">
        <Button {...button} component={Link} href={`/devices?user=${userId}`} leftSection={<Icon name="device" size={16} />}>
          {say.devices}
        </Button>
        <Button {...button} component={Link} href={`/lines?user=${userId}`} leftSection={<Icon name="line" size={16} />}>
          {say.lines}
        </Button>
      </Group>
    </Section>
  )
}

/** For administrators; sends only changes, so that an unset language stays unset. */
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

const refreshes = ['getUser', 'listUsers', 'listNumbers'] as const

/** Deactivates and reactivates a user. */
export const Leaving = ({ user }: { user: User }) => {
  const say = useText(text)
  const toast = useToast()
  const me = useMe()?.id
  const [asking, setAsking] = useState(false)
  const activate = useWrite('changeUser', { refreshes, onDone: () => toast.done(say.activated) })
  return (
    <Section title={say.leave} description={user.id === me ? say.itsYou : say.leaveHint}>
      {!user.active && <Alert mb="md">{say.inactiveNotice}</Alert>}
      <Group>
        {user.active ? (
          <Button color="red.8" variant="outline" disabled={user.id === me} onClick={() => setAsking(true)}>
            {say.deactivate}
          </Button>
        ) : (
          <Button
            loading={activate.isPending}
            onClick={() => activate.mutate([{ userId: user.id }, { active: true }], { onError: (error) => toast.failed(error) })}
          >
            {say.activate}
          </Button>
        )}
      </Group>
      {asking && <LeavingForm user={user} onClose={() => setAsking(false)} />}
    </Section>
  )
}

const kept = ''

const LeavingForm = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const others = (useRead('listUsers').data?.items ?? []).filter(({ id, active }) => active && id !== user.id)
  const leave = useWrite('deactivateUser', {
    refreshes,
    onDone: () => {
      toast.done(say.deactivated)
      onClose()
    },
  })
  const form = useForm<{ numbersTo: string; historyTo: string }>({ numbersTo: kept, historyTo: kept }, leave.error)
  const { numbersTo, historyTo } = form.values
  const submit = (): void =>
    leave.mutate([{ userId: user.id, ...(numbersTo !== kept && { numbersTo }), ...(historyTo !== kept && { historyTo }) }])
  const heirs = (words: (name: string) => string) => others.map((other) => ({ value: other.id, label: words(fullName(other)) }))
  return (
    <FormModal
      opened
      title={say.deactivateTitle(fullName(user))}
      submit={say.deactivate}
      onClose={onClose}
      onSubmit={submit}
      pending={leave.isPending}
      error={leave.error}
    >
      <Text size="sm">{say.deactivateBody}</Text>
      <Select
        label={say.numbersTo}
        data={[{ value: kept, label: say.numbersKept }, ...heirs(say.numbersGo)]}
        allowDeselect={false}
        searchable={others.length > 8}
        {...form.value('numbersTo')}
      />
      <Select
        label={say.historyTo}
        data={[{ value: kept, label: say.historyKept }, ...heirs(say.historyGoes), { value: 'DELETED', label: say.historyDeleted }]}
        allowDeselect={false}
        searchable={others.length > 8}
        {...form.value('historyTo')}
      />
    </FormModal>
  )
}

const roles = ['USER', 'BILLING', 'DEVELOPER', 'ADMIN'] as const satisfies readonly UserRole[]

interface RoleSelectProps {
  value: UserRole
  onChange: (role: string | null) => void
  error?: ReactNode
  disabled?: boolean
}

/** Role of a user, with an explanation below. */
export const RoleSelect = (props: RoleSelectProps) => {
  const say = useText(text)
  return (
    <Select
      label={say.role}
      data={roles.map((role) => ({ value: role, label: say.roles[role].name }))}
      description={say.roles[props.value].means}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      allowDeselect={false}
      {...props}
    />
  )
}
