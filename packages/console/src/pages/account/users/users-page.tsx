import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import type { Column, Filter } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText, useLanguage } from '#words/use-text.tsx'
import { fullName, type User } from '#lazy-parts/people.ts'
import { useNumbersOf } from '../parts/use-numbers-of.ts'
import { Invitations } from './invitations.tsx'
import { text } from './text.ts'
import { SimpleGrid, Text, TextInput } from '@mantine/core'
import type { UserRole } from '@offhook/contract/roles.ts'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { LanguageSelect } from '#lazy-parts/profile-selects.tsx'
import { RoleSelect } from './user-page.tsx'

export const UsersPage = () => {
  const say = useText(text)
  const manages = useMay()('CAN_MANAGE_USERS')
  const users = useRead('listUsers')
  const columns = useColumns()
  const filters = useFilters()
  const [inviting, setInviting] = useState(false)
  return (
    <Page
      title={say.title}
      description={say.lead}
      actions={manages && <AddButton onClick={() => setInviting(true)}>{say.invite}</AddButton>}
    >
      <Section flush>
        <List
          query={users}
          label={say.title}
          columns={columns}
          filters={filters}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/users/${id}`}
          empty={<EmptyState icon="user" title={say.none} />}
        />
      </Section>
      {manages && <Invitations />}
      {inviting && <InviteForm onClose={() => setInviting(false)} />}
    </Page>
  )
}

const useColumns = (): Column<User>[] => {
  const say = useText(text)
  const me = useMe()?.id
  const numbersOf = useNumbersOf()
  return [
    { key: 'name', header: say.name, cell: (user) => (user.id === me ? `${fullName(user)} (${say.you})` : fullName(user)) },
    { key: 'email', header: say.email, cell: ({ email }) => email, breaks: true },
    {
      key: 'numbers',
      header: say.numbers,
      value: ({ id }) => numbersOf(id).join(', '),
      cell: ({ id }) => <PhoneNumbers numbers={numbersOf(id)} none={say.none} />,
    },
    {
      key: 'role',
      header: say.role,
      value: ({ role }) => say.roles[role].name,
      cell: ({ role, admin }) => <StatusBadge tone={admin ? 'busy' : 'quiet'}>{say.roles[role].name}</StatusBadge>,
    },
    {
      key: 'state',
      header: say.state,
      value: ({ active }) => (active ? say.active : say.inactive),
      cell: ({ active }) => <StatusBadge tone={active ? 'good' : 'quiet'}>{active ? say.active : say.inactive}</StatusBadge>,
    },
  ]
}

const roles = ['ADMIN', 'USER', 'BILLING', 'DEVELOPER'] as const

const useFilters = (): Filter<User>[] => {
  const say = useText(text)
  return [
    {
      key: 'role',
      label: say.role,
      options: roles.map((role) => ({ value: role, label: say.roles[role].name })),
      fits: (user, role) => user.role === role,
    },
    {
      key: 'state',
      label: say.state,
      options: [
        { value: 'active', label: say.active },
        { value: 'inactive', label: say.inactive },
      ],
      fits: ({ active }, state) => active === (state === 'active'),
    },
  ]
}

/** As typed; empty fields are not sent. */
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
