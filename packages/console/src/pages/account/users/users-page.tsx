import { Text } from '@mantine/core'
import { useMe } from '../../../api/use-me.ts'
import { useRead } from '../../../api/use-service.ts'
import { DataTable, type Column } from '../../../parts/data-table.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { Section } from '../../../parts/section.tsx'
import { StatusBadge } from '../../../parts/status-badge.tsx'
import { useFormat } from '../../../parts/use-format.ts'
import { useText } from '../../../words/use-text.tsx'
import { fullName, type User } from '../people.ts'
import { text } from './text.ts'

export const UsersPage = () => {
  const say = useText(text)
  const users = useRead('listUsers')
  const columns = useColumns()
  return (
    <Page title={say.title} description={`${say.lead} ${say.created}`}>
      <Section flush>
        <Loaded query={users}>
          {({ items }) => (
            <DataTable
              label={say.title}
              rows={items}
              columns={columns}
              rowKey={({ id }) => id}
              rowTo={({ id }) => `/users/${id}`}
              empty={<EmptyState icon="user" title={say.none} />}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  )
}

const useColumns = (): Column<User>[] => {
  const say = useText(text)
  const me = useMe()?.id
  const { phone } = useFormat()
  const people = useRead('listInternalContacts').data?.items ?? []
  const numbersOf = (userId: string): string[] => {
    const entry = people.find(({ id }) => id === userId)
    return entry ? [...entry.directdial, ...entry.landline, ...entry.mobile].map(phone) : []
  }
  return [
    { key: 'name', header: say.user, cell: (user) => (user.id === me ? `${fullName(user)} (${say.you})` : fullName(user)) },
    { key: 'email', header: say.email, cell: ({ email }) => email },
    {
      key: 'numbers',
      header: say.numbers,
      cell: ({ id }) =>
        numbersOf(id).join(', ') || (
          <Text span inherit c="dimmed">
            {say.none}
          </Text>
        ),
    },
    {
      key: 'role',
      header: say.role,
      cell: ({ admin }) => <StatusBadge tone={admin ? 'busy' : 'quiet'}>{admin ? say.admin : say.member}</StatusBadge>,
    },
  ]
}
