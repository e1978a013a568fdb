import { Group, Text } from '@mantine/core'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { kindOf } from '../parts/endpoints.ts'
import { fits } from './fits.ts'
import { text } from './text.ts'

type Colleague = OutputOf<'listInternalContacts'>['items'][number]

/** Users and groups of the account with the numbers that lead to them; this list needs no upkeep. */
export const Colleagues = ({ wanted }: { wanted: string }) => {
  const say = useText(text)
  const colleagues = useRead('listInternalContacts')
  const columns = useColumns()
  const shown = (items: Colleague[]): Colleague[] =>
    items.filter(({ name, emails, mobile, landline, directdial }) => fits(wanted, [name, ...emails, ...mobile, ...landline, ...directdial]))
  return (
    <Loaded query={colleagues}>
      {({ items }) => (
        <List
          label={say.colleagues}
          rows={shown(items)}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<EmptyState icon="search" title={say.noMatch} />}
        />
      )}
    </Loaded>
  )
}

const useColumns = (): Column<Colleague>[] => {
  const say = useText(text)
  const list = (numbers: readonly string[]) => <PhoneNumbers numbers={numbers} none={say.none} />
  return [
    {
      key: 'name',
      header: say.name,
      cell: ({ id, name }) => (
        <Group gap="xs" wrap="nowrap">
          <Icon name={kindOf(id) === 'group' ? 'group' : 'user'} size={16} />
          <Text span inherit fw={550}>
            {name}
          </Text>
        </Group>
      ),
    },
    { key: 'quickDial', header: say.quickDial, cell: ({ directdial }) => list(directdial) },
    { key: 'phone', header: say.phone, cell: ({ landline, mobile }) => list([...landline, ...mobile]) },
    { key: 'fax', header: say.fax, cell: ({ fax }) => list(fax), wideOnly: true },
  ]
}
