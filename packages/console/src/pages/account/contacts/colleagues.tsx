import { Group, Text } from '@mantine/core'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { CallableNumbers } from '#parts/phone-number.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { kindOf } from '../parts/endpoints.ts'
import { text } from './text.ts'

type Colleague = OutputOf<'listInternalContacts'>['items'][number]

/** Users and groups of the account with their numbers; this list needs no upkeep. */
export const Colleagues = () => {
  const say = useText(text)
  return (
    <List
      label={say.colleagues}
      name="colleagues"
      query={useRead('listInternalContacts')}
      columns={useColumns()}
      rowKey={({ id }) => id}
      search={say.search}
      empty={<EmptyState icon="group" title={say.nobody} />}
    />
  )
}

const useColumns = (): Column<Colleague>[] => {
  const say = useText(text)
  const list = (numbers: readonly string[]) => <PhoneNumbers numbers={numbers} none={say.none} />
  const callable = (name: string, numbers: readonly string[]) =>
    numbers.length === 0 ? list(numbers) : <CallableNumbers numbers={numbers} of={{ name }} />
  return [
    {
      key: 'name',
      header: say.name,
      value: ({ name }) => name,
      cell: ({ id, name }) => (
        <Group gap="xs" wrap="nowrap">
          <Icon name={kindOf(id) === 'group' ? 'group' : 'user'} size={16} />
          <Text span inherit fw={550}>
            {name}
          </Text>
        </Group>
      ),
    },
    {
      key: 'quickDial',
      header: say.quickDial,
      value: ({ directdial }) => directdial.join(', '),
      cell: ({ name, directdial }) => callable(name, directdial),
    },
    {
      key: 'phone',
      header: say.phone,
      value: ({ landline, mobile }) => [...landline, ...mobile].join(', '),
      cell: ({ name, landline, mobile }) => callable(name, [...landline, ...mobile]),
    },
    { key: 'fax', header: say.fax, value: ({ fax }) => fax.join(', '), cell: ({ fax }) => list(fax), wideOnly: true },
  ]
}
