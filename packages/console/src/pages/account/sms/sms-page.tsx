import { Tabs, Button, Group, Text, Stack, Title } from '@mantine/core'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { useSearchParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import classes from './messages.module.css'
import { threadWith, toThreads, type Thread, type SmsEntry } from './threads.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { SavedText } from '../parts/saved-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { CallerIds } from './caller-ids.tsx'
import type { LineId } from './smpp-login.tsx'
import { SmppLogin } from './smpp-login.tsx'
import { useEffect, useRef } from 'react'
import { CallableNumber } from '#parts/phone-number.tsx'
import { knownAs } from '#parts/phone/use-number-actions.ts'
import { Composer } from './composer.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useReason } from '#parts/value/use-reason.ts'

export const SmsPage = () => {
  const say = useText(text)
  return (
    <Page title={say.title} description={say.lead}>
      <Tabs defaultValue="messages" keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="messages">{say.messages}</Tabs.Tab>
          <Tabs.Tab value="lines">{say.lines}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="messages">
          <Messages />
        </Tabs.Panel>
        <Tabs.Panel value="lines">
          <SmsLines />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

const shownMessages = 200
const beginning = 'new'

/** The conversations, and the open one. The open one is part of the address. */
export const Messages = () => {
  const may = useMay()
  const history = useRead('listOwnHistory', { types: ['SMS'], limit: shownMessages }, { every: 2_000, when: may('CAN_GET_HISTORY') })
  return <Loaded query={history}>{({ items }) => <Threads threads={toThreads(items)} />}</Loaded>
}

const Threads = ({ threads }: { threads: readonly Thread[] }) => {
  const say = useText(text)
  const may = useMay()
  const [search, setSearch] = useSearchParams()
  const wanted = search.get('with') ?? undefined
  const open = (number: string | undefined): void => setSearch(number === undefined ? {} : { with: number })
  const thread = wanted === undefined ? undefined : threadWith(threads, wanted)
  const number = thread?.number ?? wanted
  return (
    <div className={classes.frame}>
      <section className={classes.panes} data-open={wanted !== undefined} aria-label={say.messages}>
        <div className={classes.list}>
          {may('CAN_ACCOUNT_SEND_WEB_SMS') && (
            <Button m="sm" leftSection={<Icon name="edit" size={16} />} onClick={() => open(beginning)}>
              {say.write}
            </Button>
          )}
          <ThreadList threads={threads} open={number} onOpen={open} />
        </div>
        <div className={classes.pane}>
          {wanted === undefined ? (
            <EmptyState icon="message" title={threads.length === 0 ? say.empty : say.threads}>
              {threads.length === 0 ? say.emptyBody : say.choose}
            </EmptyState>
          ) : (
            <Conversation key={number} number={number === beginning ? undefined : number} thread={thread} onOpen={open} />
          )}
        </div>
      </section>
    </div>
  )
}

interface ThreadListProps {
  threads: readonly Thread[]
  /** Number of the open thread. */
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

export type SmsLine = OutputOf<'listSms'>['items'][number]

export const SmsLines = () => {
  const say = useText(text)
  const whose = useWhose()
  const { userId = '' } = whose
  const lines = useRead('listSms', { userId }, { when: userId !== '' })
  return (
    <Stack gap="lg">
      <UserPicker whose={whose} />
      <Loaded query={lines}>
        {({ items }) =>
          items.length === 0 ? (
            <Section flush>
              <EmptyState icon="message" title={say.noLines}>
                {say.noLinesBody}
              </EmptyState>
            </Section>
          ) : (
            items.map((line) => <Line key={line.id} id={{ userId, smsId: line.id }} line={line} />)
          )
        }
      </Loaded>
    </Stack>
  )
}

const Line = ({ id, line }: { id: LineId; line: SmsLine }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const mayChange = useMay()('CAN_CHANGE_SMS')
  const rename = useWrite('changeSms', { refreshes: ['listSms'], onDone: () => toast.done(saved) })
  return (
    <>
      <Section title={line.alias}>
        <Stack maw={520}>
          <SavedText
            key={line.alias}
            label={say.name}
            maxLength={100}
            value={line.alias}
            disabled={!mayChange}
            onSave={(alias) => rename.mutate([{ ...id }, { alias }])}
            pending={rename.isPending}
            problem={rename.error}
          />
        </Stack>
      </Section>
      <CallerIds line={id} mayChange={mayChange} />
      {mayChange && <SmppLogin line={id} />}
    </>
  )
}

interface ConversationProps {
  /** Undefined: the recipient is not named yet. */
  number: string | undefined
  /** Messages so far. */
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

/** Scrolls to the newest message. */
const Log = ({ entries, label }: { entries: readonly SmsEntry[]; label: string }) => {
  const list = useRef<HTMLOListElement>(null)
  const last = entries.at(-1)?.id
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [last])
  return (
    // A list longer than its frame must be scrollable with the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ol ref={list} className={classes.log} aria-label={label} aria-live="polite" tabIndex={0}>
      {entries.map((entry) => (
        <Message key={entry.id} entry={entry} />
      ))}
    </ol>
  )
}

/** Marks displayed messages as read. */
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

type Status = NonNullable<SmsEntry['smsStatusType']>

const tones: Readonly<Record<Status, Tone>> = { SCHEDULED: 'warning', PENDING: 'busy', SENT: 'good', DELIVERED: 'good', FAILED: 'bad' }

/** One message with its delivery state. */
export const Message = ({ entry }: { entry: SmsEntry }) => {
  const say = useText(text)
  const { incoming, smsContent, created, smsStatusType, smsReason, scheduled } = entry
  const { moment } = useFormat()
  const reason = useReason(smsReason)
  const waits = smsStatusType === 'SCHEDULED' && scheduled !== undefined
  return (
    <li className={classes.bubble} data-own={!incoming}>
      <div className={classes.words}>{smsContent}</div>
      <Group gap="xs" mt={4} justify={incoming ? 'flex-start' : 'flex-end'}>
        <Text size="xs" c="dimmed">
          {waits ? say.scheduledFor(moment(scheduled)) : <Time at={created} />}
        </Text>
        {!incoming && smsStatusType && (
          <StatusBadge tone={tones[smsStatusType]} pulse={smsStatusType === 'PENDING'}>
            {say.statuses[smsStatusType]}
          </StatusBadge>
        )}
        {waits && <CancelButton entryId={entry.id} />}
      </Group>
      {reason !== undefined && (
        <Text size="xs" mt={2} c="var(--mantine-color-error)">
          {reason}
        </Text>
      )}
    </li>
  )
}

const CancelButton = ({ entryId }: { entryId: string }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteOwnHistoryEntry', { refreshes: ['listOwnHistory'], onDone: () => toast.done(say.cancelled) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.cancelTitle, body: say.cancelBody, confirm: say.cancel }))
      remove.mutate([{ entryId }], { onError: toast.failed })
  }
  return (
    <Button size="compact-xs" variant="default" loading={remove.isPending} onClick={() => void ask()}>
      {say.cancel}
    </Button>
  )
}
