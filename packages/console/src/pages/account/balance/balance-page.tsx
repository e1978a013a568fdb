import { Text } from '@mantine/core'
import { api } from '#api/client.ts'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { usePages } from '#parts/list/use-pages.ts'
import { Booking, haveFractions, Money, Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { DayLimit } from './day-limit.tsx'
import { Statements } from './statements.tsx'
import { text } from './text.ts'
import { UsageSection } from './usage.tsx'

type Ledger = OutputOf<'readLedger'>
type Entry = Ledger['items'][number]

/** Running calls spend money while one looks. */
const pollIntervalMs = 5_000

export const BalancePage = () => {
  const say = useText(text)
  const purse = useRead('readLedger', { limit: 1 }, { every: pollIntervalMs })
  return (
    <Page title={say.title} description={say.lead}>
      <Loaded query={purse}>
        {(now) => (
          <>
            <Section>
              <Purse purse={now} />
            </Section>
            <UsageSection />
            <DayLimit currency={now.currency} />
            <Statements />
            <Entries currency={now.currency} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Purse = ({ purse: { amount, reserved, creditLimit, currency } }: { purse: Ledger }) => {
  const say = useText(text)
  const money = (value: number) => <Money amount={value} currency={currency} />
  return (
    <Facts
      facts={[
        [
          say.spendable,
          <Text key="spendable" component="span" fw={650} size="xl">
            {money(amount - reserved + creditLimit)}
          </Text>,
        ],
        [say.booked, money(amount)],
        [say.reserved, money(reserved)],
        [say.creditLimit, creditLimit > 0 ? money(creditLimit) : undefined],
      ]}
    />
  )
}

const Entries = ({ currency }: { currency: string }) => {
  const say = useText(text)
  const entries = usePages<Entry>(
    'readLedger',
    {},
    ({ after, limit }) => api.readLedger({ limit, ...(after !== undefined && { before: Number(after) }) }),
    ({ position }) => String(position),
  )
  const columns: Column<Entry>[] = [
    { key: 'reason', header: say.reason, cell: ({ reason }) => say.reasons[reason] ?? reason },
    { key: 'at', header: say.at, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
    {
      key: 'amount',
      header: say.amount,
      value: ({ amount }) => amount / 10_000,
      align: 'right',
      cell: ({ amount }) => <Booking amount={amount} currency={currency} wide={haveFractions(entries.rows)} />,
    },
  ]
  return (
    <Section title={say.ledger} flush>
      <List
        pages={entries}
        label={say.ledger}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon="wallet" title={say.empty}>
            {say.emptyHint}
          </EmptyState>
        }
      />
    </Section>
  )
}
