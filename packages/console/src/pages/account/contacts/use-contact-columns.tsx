import { Anchor, Stack, Text } from '@mantine/core'
import type { Column } from '#parts/list/columns.ts'
import { CallableNumbers } from '#parts/phone-number.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import type { Contact } from './contact-form.tsx'
import { text } from './text.ts'

export const useContactColumns = (): Column<Contact>[] => {
  const say = useText(text)
  return [
    {
      key: 'name',
      header: say.name,
      sortable: true,
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Text span inherit fw={550}>
          {name}
        </Text>
      ),
    },
    {
      key: 'numbers',
      header: say.numbers,
      value: ({ numbers }) => numbers.join(', '),
      cell: ({ id, name, numbers }) => numbers.length > 0 && <CallableNumbers numbers={numbers} of={{ name, contactId: id }} />,
    },
    {
      key: 'emails',
      header: say.emails,
      value: ({ emails }) => emails.join(', '),
      cell: ({ emails }) =>
        emails.length > 0 && (
          <Stack gap={2}>
            {emails.map((email) => (
              <Anchor key={email} href={mailTo(email)} inherit>
                {email}
              </Anchor>
            ))}
          </Stack>
        ),
    },
    {
      key: 'shared',
      header: say.seenBy,
      value: ({ shared }) => (shared ? say.everybody : say.private),
      cell: ({ shared }) => <StatusBadge tone={shared ? 'good' : 'quiet'}>{shared ? say.everybody : say.private}</StatusBadge>,
    },
  ]
}

/** Whatever was typed is the recipient, and nothing else of a mail. */
const mailTo = (email: string): string => `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`
