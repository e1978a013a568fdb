import { Button, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useMay } from '#api/use-may.ts'
import { useWrite } from '#api/use-service.ts'
import { CallableNumber } from '#parts/phone-number.tsx'
import { knownAs } from '#parts/phone/use-number-actions.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { Composer } from './composer.tsx'
import { Message } from './message.tsx'
import classes from './messages.module.css'
import { text } from './text.ts'
import type { SmsEntry, Thread } from './threads.ts'

interface ConversationProps {
  /** Undefined: with a recipient who is yet to be named. */
  number: string | undefined
  /** What was written so far. */
  thread: Thread | undefined
  onOpen: (number: string | undefined) => void
}

export const Conversation = ({ number, thread, onOpen }: ConversationProps) => {
  const say = useText(text)
  const { phone } = useFormat()
  const may = useMay()
  const entries = thread?.entries ?? []
  useMarkRead(entries)
  return (
    <>
      <div className={classes.head}>
        <Button
          className={classes.back}
          variant="subtle"
          size="compact-sm"
          mb="xs"
          leftSection={<Icon name="arrowLeft" size={15} />}
          onClick={() => onOpen(undefined)}
        >
          {say.back}
        </Button>
        <Title order={2}>
          {number === undefined ? say.write : <CallableNumber number={number} {...(thread?.contact && knownAs(thread.contact))} />}
        </Title>
      </div>
      {entries.length > 0 && <Log entries={entries} label={say.withNumber(thread?.contact?.name ?? phone(number ?? ''))} />}
      {may('CAN_ACCOUNT_SEND_WEB_SMS') ? (
        <Composer number={number} onSent={onOpen} />
      ) : (
        entries.length === 0 && <Text p="md">{say.empty}</Text>
      )}
    </>
  )
}

/** The newest message is in sight. */
const Log = ({ entries, label }: { entries: readonly SmsEntry[]; label: string }) => {
  const list = useRef<HTMLOListElement>(null)
  const last = entries.at(-1)?.id
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [last])
  return (
    // A list that is longer than its frame is scrolled with the keyboard, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ol ref={list} className={classes.log} aria-label={label} aria-live="polite" tabIndex={0}>
      {entries.map((entry) => (
        <Message key={entry.id} entry={entry} />
      ))}
    </ol>
  )
}

/** What was seen is no longer new. */
const useMarkRead = (entries: readonly SmsEntry[]): void => {
  const may = useMay()
  const { mutate } = useWrite('changeOwnHistory', { refreshes: ['listOwnHistory'] })
  const unread = entries.filter(({ incoming, read }) => incoming && !read).map(({ id }) => id)
  const mayChange = may('CAN_CHANGE_HISTORY')
  const named = unread.slice(0, 149).join(' ')
  useEffect(() => {
    if (mayChange && named !== '') mutate([{}, { items: named.split(' ').map((id) => ({ id, read: true })) }])
  }, [mutate, mayChange, named])
}
