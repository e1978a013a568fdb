import { Tabs, Stack, Button, Group, SegmentedControl, Text, Anchor, Select } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { SendFax } from './send-fax.tsx'
import { text } from './text.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { useFaxGroups, type FaxGroup } from './use-sending-lines.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { text as accountText } from '../parts/text.ts'
import { useState } from 'react'
import { FaxDetails, type FaxEntry, isUnderWay, toneOf, useOtherSide } from './fax-details.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { SavedText, useProblem } from '../parts/saved-text.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Time, PhoneNumbers } from '#parts/value/values.tsx'
import { useReason } from '#parts/value/use-reason.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useFormat } from '#parts/value/use-format.ts'

export const FaxPage = () => {
  const say = useText(text)
  const may = useMay()
  return (
    <Page title={say.title} description={say.lead}>
      <Tabs defaultValue="faxes" keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="faxes">{say.faxes}</Tabs.Tab>
          <Tabs.Tab value="lines">{say.lines}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="faxes">
          {may('CAN_SEND_FAX') && <SendFax />}
          {may('CAN_GET_HISTORY') && <FaxList />}
        </Tabs.Panel>
        <Tabs.Panel value="lines">
          <FaxLines />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

/** The fax lines of a user and of the groups. */
export const FaxLines = () => {
  const say = useText(text)
  const whose = useWhose()
  const { userId = '' } = whose
  const lines = useRead('listFaxlines', { userId }, { when: userId !== '' })
  const groups = useFaxGroups()
  return (
    <Stack gap="lg">
      <UserPicker whose={whose} />
      <Loaded query={lines}>
        {({ items }) =>
          items.length === 0 ? (
            <Section flush>
              <EmptyState icon="fax" title={say.noLines}>
                {say.noLinesBody}
              </EmptyState>
            </Section>
          ) : (
            items.map((line) => <UserFaxLine key={line.id} userId={userId} line={line} />)
          )
        }
      </Loaded>
      {groups.map((group) => (
        <GroupFaxLines key={group.id} group={group} />
      ))}
    </Stack>
  )
}

export const GroupFaxLines = ({ group: { id: groupId, alias } }: { group: FaxGroup }) => {
  const lines = useRead('listGroupFaxlines', { groupId }).data?.items ?? []
  return lines.map((line) => <GroupLine key={line.id} faxlineId={line.id} alias={line.alias} group={alias} />)
}

const GroupLine = ({ faxlineId, alias, group }: { faxlineId: string; alias: string; group: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const may = useMay()
  const caller = useRead('getGroupFaxlineCallerId', { faxlineId }).data?.value
  const set = useWrite('setGroupFaxlineCallerId', { refreshes: ['getGroupFaxlineCallerId'], onDone: () => toast.done(saved) })
  return (
    <Section title={alias} description={say.ofGroup(group)}>
      <Stack gap="lg" maw={520}>
        <CallerChoice
          value={caller}
          onChoose={(value) => set.mutate([{ faxlineId }, { value }])}
          pending={set.isPending || !may('CAN_CHANGE_GROUPS')}
          problem={set.error}
        />
        <LeadingNumbers numbers={useRead('listGroupFaxlineNumbers', { faxlineId })} />
      </Stack>
    </Section>
  )
}

const directions = { all: [], in: ['INCOMING', 'MISSED_INCOMING'], out: ['OUTGOING', 'MISSED_OUTGOING'] } as const

const which = ['all', 'in', 'out'] as const

const pageSize = 25

/** Sent and received faxes, newest first. */
export const FaxList = () => {
  const say = useText(text)
  const [shown, setShown] = useState<(typeof which)[number]>('all')
  const [limit, setLimit] = useState(pageSize)
  const [open, setOpen] = useState<string>()
  const markRead = useMarkRead()
  const wanted = directions[shown]
  const query = { types: ['FAX' as const], limit, ...(wanted.length > 0 && { directions: [...wanted] }) }
  const faxes = useRead('listOwnHistory', query, { every: 2_000 })
  const choice = (
    <SegmentedControl
      aria-label={say.show}
      data={which.map((value) => ({ value, label: say.list[value] }))}
      value={shown}
      onChange={setShown}
    />
  )
  return (
    <Section title={say.faxes} actions={choice} flush>
      <Loaded query={faxes}>
        {({ items, totalCount }) => (
          <>
            <FaxTable entries={items} onOpen={(entry) => (setOpen(entry.id), markRead(entry))} />
            {totalCount > items.length && (
              <Group justify="center" p="md">
                <Button variant="default" onClick={() => setLimit(limit + pageSize)}>
                  {say.more}
                </Button>
              </Group>
            )}
          </>
        )}
      </Loaded>
      {open !== undefined && <FaxDetails key={open} faxId={open} onClose={() => setOpen(undefined)} />}
    </Section>
  )
}

/** Marks an opened fax as read. Ignores errors: they need not disturb the reader. */
const useMarkRead = (): ((entry: FaxEntry) => void) => {
  const may = useMay()
  const change = useWrite('changeOwnHistoryEntry', { refreshes: ['listOwnHistory'] })
  return ({ id, incoming, read }) => {
    if (incoming && !read && may('CAN_CHANGE_HISTORY')) change.mutate([{ entryId: id }, { read: true }])
  }
}

type Faxline = OutputOf<'listFaxlines'>['items'][number]

export const UserFaxLine = ({ userId, line }: { userId: string; line: Faxline }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const target = { userId, faxlineId: line.id }
  const mayChange = useMay()('CAN_CHANGE_FAXLINES')
  const done = { onDone: () => toast.done(saved) }
  const rename = useWrite('changeFaxline', { refreshes: ['listFaxlines'], ...done })
  const setTagline = useWrite('changeFaxline', { refreshes: ['listFaxlines'], ...done })
  const setCaller = useWrite('setFaxlineCallerId', { refreshes: ['getFaxlineCallerId'], ...done })
  const caller = useRead('getFaxlineCallerId', target).data?.value
  const common = { disabled: !mayChange }
  return (
    <Section title={line.alias} description={<Abilities line={line} />}>
      <Stack gap="lg" maw={520}>
        <SavedText
          key={`name ${line.alias}`}
          label={say.name}
          maxLength={100}
          value={line.alias}
          onSave={(alias) => rename.mutate([target, { alias }])}
          pending={rename.isPending}
          problem={rename.error}
          {...common}
        />
        <SavedText
          key={`tagline ${line.tagline}`}
          label={say.tagline}
          description={say.taglineHint}
          maxLength={50}
          value={line.tagline}
          onSave={(tagline) => setTagline.mutate([target, { tagline }])}
          pending={setTagline.isPending}
          problem={setTagline.error}
          {...common}
        />
        <CallerChoice
          value={caller}
          onChoose={(value) => setCaller.mutate([target, { value }])}
          pending={setCaller.isPending || !mayChange}
          problem={setCaller.error}
        />
        <LeadingNumbers numbers={useRead('listFaxlineNumbers', target)} />
      </Stack>
    </Section>
  )
}

const Abilities = ({ line: { canSend, canReceive } }: { line: Faxline }) => {
  const say = useText(text)
  return (
    <Group gap="xs">
      {canSend && <StatusBadge tone="good">{say.canSend}</StatusBadge>}
      {canReceive && <StatusBadge tone="good">{say.canReceive}</StatusBadge>}
    </Group>
  )
}

export const FaxTable = ({ entries, onOpen }: { entries: readonly FaxEntry[]; onOpen: (entry: FaxEntry) => void }) => {
  const say = useText(text)
  const otherSide = useOtherSide()
  const columns: Column<FaxEntry>[] = [
    { key: 'who', header: say.who, value: (entry) => otherSide(entry), cell: (entry) => <Who entry={entry} /> },
    { key: 'when', header: say.when, value: ({ created }) => created, cell: ({ created }) => <Time at={created} /> },
    { key: 'extent', header: say.extent, cell: ({ pageCount }) => (pageCount === undefined ? '–' : say.pages(pageCount)) },
    { key: 'state', header: say.state, cell: (entry) => <FaxState entry={entry} /> },
  ]
  return (
    <List
      label={say.faxes}
      rows={entries}
      columns={columns}
      rowKey={({ id }) => id}
      rowActions={(entry) => (
        <Button size="xs" variant="default" aria-label={say.openOf(otherSide(entry))} onClick={() => onOpen(entry)}>
          {say.open}
        </Button>
      )}
      empty={
        <EmptyState icon="fax" title={say.empty}>
          {say.emptyBody}
        </EmptyState>
      }
    />
  )
}

const Who = ({ entry }: { entry: FaxEntry }) => {
  const otherSide = useOtherSide()
  return (
    <Group gap="xs" wrap="nowrap" component="span">
      <Icon name={entry.incoming ? 'arrowDown' : 'arrowUp'} size={15} />
      <Text span inherit fw={entry.incoming && !entry.read ? 700 : undefined}>
        {otherSide(entry)}
      </Text>
    </Group>
  )
}

const FaxState = ({ entry }: { entry: FaxEntry }) => {
  const say = useText(text)
  const { incoming, faxStatusType = 'PENDING', pageCount = 0, pagesSent = 0, faxReason } = entry
  const reason = useReason(faxReason)
  const words = incoming ? (faxReason === undefined ? say.received : say.cutOff) : say.statuses[faxStatusType]
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone={toneOf(entry)} pulse={isUnderWay(entry)}>
        {words}
      </StatusBadge>
      {faxStatusType === 'SENDING' && pageCount > 0 && !incoming && <Text size="xs">{say.pagesSent(pagesSent, pageCount)}</Text>}
      {reason !== undefined && faxStatusType !== 'SENT' && (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </Stack>
  )
}

interface CallerChoiceProps {
  /** Undefined until known; empty: none. */
  value: string | undefined
  onChoose: (value: string) => void
  pending: boolean
  problem: unknown
}

const none = 'none'

export const CallerChoice = ({ value, onChoose, pending, problem }: CallerChoiceProps) => {
  const say = useText(text)
  const { phone } = useFormat()
  const numbers = useRead('listNumbers').data?.items ?? []
  const own = numbers.filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE').map(({ number }) => number)
  // The current number may have been chosen by a user with access to more numbers.
  const known = value === undefined || value === '' || own.includes(value) ? own : [value, ...own]
  return (
    <Select
      label={say.callerId}
      description={say.callerIdHint}
      data={[...known.map((number) => ({ value: number, label: phone(number) })), { value: none, label: say.noCallerId }]}
      value={value === undefined ? null : value === '' ? none : value}
      onChange={(chosen) => chosen !== null && onChoose(chosen === none ? '' : chosen)}
      allowDeselect={false}
      disabled={value === undefined || pending}
      error={useProblem(problem)}
    />
  )
}

export const LeadingNumbers = ({ numbers }: { numbers: UseQueryResult<OutputOf<'listFaxlineNumbers'>> }) => {
  const say = useText(text)
  const items = numbers.data?.items ?? []
  return (
    <div>
      <Text size="sm" fw={550}>
        {say.numbers}
      </Text>
      <Text size="sm">
        <PhoneNumbers numbers={items.map(({ number }) => number)} none={say.noNumbers} />
      </Text>
      <Anchor component={Link} href="/numbers" size="sm">
        {say.toNumbers}
      </Anchor>
    </div>
  )
}
