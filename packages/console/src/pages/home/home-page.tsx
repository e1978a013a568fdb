import { SimpleGrid, Skeleton, Button, Group, Text } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { FirstStep } from './my-desk.tsx'
import { MyDesk } from './my-desk.tsx'
import { text } from './text.ts'
import type { ReactNode } from 'react'
import { useRead, type OutputOf } from '#api/use-service.ts'
import { Money, Time } from '#parts/value/values.tsx'
import classes from './home.module.css'
import { Section } from '#parts/page/section.tsx'
import { Matters, type Matter } from '#lazy-parts/matters.tsx'
import { Link } from 'wouter'
import { otherParty } from '#api/other-party.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat, type Format } from '#parts/value/use-format.ts'

/** Administrators see tasks and first steps; all others their own telephone. */
export const HomePage = () => {
  const say = useText(text)
  const may = useMay()
  const me = useMe()
  const isBuilder = may('CAN_CHANGE_FLOWS')
  return (
    <Page title={me ? say.hello(me.firstname) : say.start} description={isBuilder ? say.lead : say.userLead}>
      <Attention />
      {isBuilder ? <FirstSteps /> : <MyDesk />}
      {isBuilder && <Glance />}
      {may('CAN_GET_HISTORY') && <RecentHistory />}
    </Page>
  )
}

const FirstSteps = () => {
  const say = useText(text)
  const may = useMay()
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
      <FirstStep icon="microphone" title={say.talkTitle} body={say.talkBody} action={say.talkAction} to="/talk" primary />
      <FirstStep icon="code" title={say.codeTitle} body={say.codeBody} action={say.codeAction} to="/flows" command="npx offhook init" />
      {may('CAN_GET_DEVICES') && (
        <FirstStep icon="phone" title={say.phoneTitle} body={say.phoneBody} action={say.phoneAction} to="/devices" />
      )}
    </SimpleGrid>
  )
}

/** A few figures; those without permission are omitted. */
export const Glance = () => {
  const say = useText(text)
  const may = useMay()
  const calls = useRead('listCalls', {}, { when: may('CAN_CONTROL_CALLS'), every: 3_000 })
  const balance = useRead('getBalance', {}, { when: may('CAN_GET_ACCOUNT_BALANCE') })
  const numbers = useRead('listNumbers', {}, { when: may('CAN_GET_NUMBERS') })
  const flows = useRead('listFlows', {}, { when: may('CAN_GET_FLOWS') })
  return (
    <dl className={classes.glance}>
      {may('CAN_CONTROL_CALLS') && <Figure name={say.callsNow} value={calls.data?.data.length} />}
      {may('CAN_GET_FLOWS') && <Figure name={say.flows} value={flows.data?.items.length} />}
      {may('CAN_GET_NUMBERS') && <Figure name={say.numbers} value={numbers.data?.items.length} />}
      {may('CAN_GET_ACCOUNT_BALANCE') && <Figure name={say.balance} value={balance.data && <Money {...balance.data} />} />}
    </dl>
  )
}

const Figure = ({ name, value }: { name: string; value: ReactNode }) => (
  <div className={classes.figure}>
    <dt>{name}</dt>
    <dd>{value ?? <Skeleton height={24} width={48} my={4} />}</dd>
  </div>
)

const every = 30_000
const rarely = 300_000

/** Tasks of an administrator; empty if there are none. */
export const Attention = () => {
  const say = useText(text)
  const matters = useMatters()
  if (matters.length === 0) return null
  return (
    <Section title={say.attention}>
      <Matters matters={matters} />
    </Section>
  )
}

const useMatters = (): Matter[] => {
  const say = useText(text)
  const may = useMay()
  const flows = useRead('listFlows', undefined, { every, when: may('CAN_CHANGE_FLOWS') }).data?.items ?? []
  const numbers = useRead('listNumbers', {}, { every, when: may('CAN_CHANGE_NUMBERS') }).data?.items ?? []
  const purse = useRead('readLedger', { limit: 1 }, { every, when: may('CAN_GET_ACCOUNT_BALANCE') }).data
  const emergency = useRead('getEmergencyCallback', undefined, { every: rarely, when: may('CAN_CHANGE_NUMBERS') }).data
  const cannotBeCalledBack = emergency !== undefined && emergency.hasPhones && emergency.callbackNumber === undefined
  const addressless = numbers.filter(({ state }) => state === 'ADDRESS_PENDING').length
  const isEmpty = purse !== undefined && purse.amount - purse.reserved + purse.creditLimit <= 0
  return [
    ...flows
      .filter(({ health }) => health?.state === 'FAILING')
      .map(({ id, name }) => ({ words: say.flowFails(name), to: `/flows/${id}/deliveries` })),
    ...(addressless > 0 ? [{ words: say.noAddress(addressless), to: '/numbers' }] : []),
    ...(cannotBeCalledBack ? [{ words: say.noCallback, to: '/numbers' }] : []),
    ...(isEmpty ? [{ words: say.noMoney, to: '/balance' }] : []),
  ]
}

type Entry = OutputOf<'listHistoryV1'>['items'][number]
type Said = (typeof text)['en']

/** Recent history of the user. */
export const RecentHistory = () => {
  const say = useText(text)
  const format = useFormat()
  const userId = useMe()?.id ?? ''
  // The total is not needed, and counting takes long.
  const history = useRead('listHistoryV1', { userId, limit: 6 }, { every: 10_000, when: userId !== '' })
  const all = (
    <Button component={Link} href="/calls" variant="subtle" size="xs">
      {say.allCalls}
    </Button>
  )
  return (
    <Section title={say.recent} actions={all} flush>
      <Loaded query={history}>
        {({ items }) => (
          <List
            name="recent"
            label={say.recent}
            rows={items}
            columns={columns(say, format)}
            rowKey={({ id }) => id}
            rowTo={({ callId }) => (callId === undefined ? undefined : `/calls/${callId}`)}
            empty={
              <EmptyState icon="history" title={say.recentEmpty}>
                {say.recentEmptyBody}
              </EmptyState>
            }
          />
        )}
      </Loaded>
    </Section>
  )
}

const columns = (say: Said, format: Format): Column<Entry>[] => [
  { key: 'who', header: say.who, cell: (entry) => partner(entry, say, format) },
  { key: 'what', header: say.what, cell: (entry) => <Kind entry={entry} /> },
  { key: 'when', header: say.when, value: ({ created }) => created, cell: ({ created }) => <Time at={created} relative /> },
  {
    key: 'howLong',
    header: say.howLong,
    align: 'right',
    cell: ({ duration }) => (duration === undefined ? '–' : format.duration(duration * 1000)),
  },
]

const partner = (entry: Entry, say: Said, format: Format): string => {
  const { number, alias, contact } = otherParty(entry)
  if (contact) return contact.name
  return alias !== '' ? alias : number === '' || number === 'anonymous' ? say.anonymous : format.phone(number)
}

/** Type of the entry, and its assistant or line. */
const Kind = ({ entry: { type, direction, incoming, sourceAlias, targetAlias } }: { entry: Entry }) => {
  const say = useText(text)
  const missed = direction.startsWith('MISSED')
  const own = incoming ? targetAlias : sourceAlias
  return (
    <Group gap="xs">
      <StatusBadge tone={missed ? 'warning' : 'quiet'}>{missed ? `${say.kinds[type]}, ${say.missed}` : say.kinds[type]}</StatusBadge>
      <Text size="sm" c="dimmed">
        {own}
      </Text>
    </Group>
  )
}
