import { useMe } from '#api/use-me.ts'
import { useRead } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { fullName, type User } from '#parts-of-few/people.ts'
import { useNumbersOf } from '../parts/use-numbers-of.ts'
import { text } from './text.ts'

export const UsersPage = () => {
  const say = useText(text)
  const users = useRead('listUsers')
  const columns = useColumns()
  return (
    <Page title={say.title} description={`${say.lead} ${say.created}`}>
      <Section flush>
        <List
          query={users}
          label={say.title}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/users/${id}`}
          empty={<EmptyState icon="user" title={say.none} />}
        />
      </Section>
    </Page>
  )
}

const useColumns = (): Column<User>[] => {
  const say = useText(text)
  const me = useMe()?.id
  const numbersOf = useNumbersOf()
  return [
    { key: 'name', header: say.user, cell: (user) => (user.id === me ? `${fullName(user)} (${say.you})` : fullName(user)) },
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
      value: ({ admin }) => (admin ? say.admin : say.member),
      cell: ({ admin }) => <StatusBadge tone={admin ? 'busy' : 'quiet'}>{admin ? say.admin : say.member}</StatusBadge>,
    },
  ]
}
