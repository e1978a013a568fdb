import { Box, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { Booking, haveFractions, Money, Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { Actor } from '#parts/value/actor.tsx'
import { text as customerText } from '#pages/account/balance/text.ts'
import classes from './account-sections.module.css'
import { BookForm, CreditLimitForm } from './balance-forms.tsx'
import { text } from './text.ts'

type Balance = OutputOf<'readBalance'>
type Entry = Balance['items'][number]
type Action = 'topUp' | 'adjust' | 'limit'

const pageSize = 10

/** The balance, and its bookings. */
export const AccountBalance = ({ accountId }: { accountId: string }) => {
  const say = useText(text)
  const [before, setBefore] = useState<number>()
  const [action, setAction] = useState<Action>()
  const balance = useRead('readBalance', { accountId, limit: pageSize, ...(before !== undefined && { before }) })
  const close = (): void => setAction(undefined)
  return (
    <Section
      title={say.balance}
      flush
      actions={
        <>
          <Button size="xs" variant="default" onClick={() => setAction('limit')}>
            {say.changeLimit}
          </Button>
          <Button size="xs" variant="default" onClick={() => setAction('adjust')}>
            {say.adjust}
          </Button>
          <Button size="xs" onClick={() => setAction('topUp')}>
            {say.topUp}
          </Button>
        </>
      }
    >
      <Loaded query={balance}>
        {(purse) => (
          <>
            <Box className={classes.above}>
              <Purse purse={purse} />
            </Box>
            <Ledger purse={purse} />
            <Group gap="xs" className={classes.below}>
              {before !== undefined && (
                <Button size="xs" variant="default" onClick={() => setBefore(undefined)}>
                  {say.newestEntries}
                </Button>
              )}
              {purse.items.length === pageSize && (
                <Button size="xs" variant="default" onClick={() => setBefore(purse.items.at(-1)?.position)}>
                  {say.olderEntries}
                </Button>
              )}
            </Group>
            {action === 'limit' && <CreditLimitForm accountId={accountId} purse={purse} onClose={close} />}
            {action !== undefined && action !== 'limit' && <BookForm {...{ accountId, purse, action }} onClose={close} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

const Purse = ({ purse: { amount, reserved, creditLimit, currency } }: { purse: Balance }) => {
  const say = useText(text)
  return (
    <Facts
      facts={[
        [
          say.booked,
          <Text key="amount" fw={650} size="lg" component="span">
            <Money amount={amount} currency={currency} />
          </Text>,
        ],
        [say.reserved, <Money key="reserved" amount={reserved} currency={currency} />],
        [say.creditLimit, <Money key="limit" amount={creditLimit} currency={currency} />],
      ]}
    />
  )
}

const Ledger = ({ purse: { items, currency } }: { purse: Balance }) => {
  const say = useText(text)
  const { reasons } = useText(customerText)
  const columns: Column<Entry>[] = [
    { key: 'reason', header: say.reason, cell: ({ reason }) => reasons[reason] ?? reason },
    { key: 'at', header: say.at, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
    { key: 'actor', header: say.actor, value: ({ actor }) => actor, cell: ({ actor }) => <Actor name={actor} />, wideOnly: true },
    {
      key: 'amount',
      header: say.amount,
      value: ({ amount }) => amount / 10_000,
      align: 'right',
      cell: ({ amount }) => <Booking amount={amount} currency={currency} wide={haveFractions(items)} />,
    },
  ]
  return (
    <List
      name="ledger"
      label={say.ledger}
      rows={items}
      columns={columns}
      rowKey={({ id }) => id}
      empty={<EmptyState icon="wallet" title={say.ledgerEmpty} />}
    />
  )
}
