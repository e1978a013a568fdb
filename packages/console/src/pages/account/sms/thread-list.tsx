import { Group, Text } from '@mantine/core'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './messages.module.css'
import { text } from './text.ts'
import type { Thread } from './threads.ts'

interface ThreadListProps {
  threads: readonly Thread[]
  /** The number whose thread is open. */
  open: string | undefined
  onOpen: (number: string) => void
}

export const ThreadList = ({ threads, open, onOpen }: ThreadListProps) => {
  const say = useText(text)
  if (threads.length === 0)
    return (
      <Text size="sm" c="dimmed" px="md" pb="md">
        {say.empty}
      </Text>
    )
  return (
    <ul className={classes.threads} aria-label={say.threads}>
      {threads.map((thread) => (
        <li key={thread.number}>
          <button type="button" className={classes.thread} aria-current={thread.number === open} onClick={() => onOpen(thread.number)}>
            <Summary thread={thread} />
          </button>
        </li>
      ))}
    </ul>
  )
}

const Summary = ({ thread: { number, contact, entries, unread } }: { thread: Thread }) => {
  const say = useText(text)
  const { phone } = useFormat()
  const last = entries.at(-1)
  return (
    <>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text span size="sm" fw={600} truncate>
          {contact?.name ?? phone(number)}
        </Text>
        {unread > 0 && <StatusBadge tone="busy">{say.unread(unread)}</StatusBadge>}
      </Group>
      <Text span size="sm" c="dimmed" display="block" truncate>
        {last?.incoming === false && `${say.ownMessage}: `}
        {last?.smsContent}
      </Text>
      <Text span size="xs" c="dimmed">
        {last && <Time at={last.created} relative />}
      </Text>
    </>
  )
}
