import { Text, Anchor, Button } from '@mantine/core'
import { api } from '#api/client.ts'
import { useRead, type OutputOf, useWrite } from '#api/use-service.ts'
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
import { Statements } from './statements.tsx'
import { text } from './text.ts'
import { UsageSection } from './usage.tsx'
import { useState } from 'react'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { MoneyInput } from '#lazy-parts/money-input.tsx'

type Ledger = OutputOf<'readLedger'>
type Entry = Ledger['items'][number]

/** Milliseconds; running calls keep spending money. */
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

type Limits = OutputOf<'readLimits'>

/** Daily spending limit, so that stolen passwords cost little. */
export const DayLimit = ({ currency }: { currency: string }) => {
  const say = useText(text)
  const format = useFormat()
  const limits = useRead('readLimits')
  const [changing, setChanging] = useState(false)
  return (
    <Section
      title={say.dayLimit}
      description={say.dayLimitHint}
      actions={
        <Button size="xs" variant="default" onClick={() => setChanging(true)}>
          {say.changeDayLimit}
        </Button>
      }
    >
      <Loaded query={limits}>
        {(now) => (
          <>
            <Facts
              facts={[
                [say.perDay, <Money key="limit" amount={now.perDay} currency={currency} />],
                [say.perCall, now.perCall === undefined ? say.noLimit : <Money key="call" amount={now.perCall} currency={currency} />],
                [
                  say.warnBelow,
                  now.warnBelow === undefined ? say.noWarning : <Money key="low" amount={now.warnBelow} currency={currency} />,
                ],
                [say.usedToday, <Money key="used" amount={now.spentToday + now.heldToday} currency={currency} />],
                [say.resetsAt, <Time key="resets" at={now.resetsAt} />],
                [say.paidCalls, say.running(now.paidCallsNow, now.paidCalls)],
                [say.openedDestinations, now.openedDestinations.join(', ') || undefined],
              ]}
            />
            <TopUp limits={now} />
            {changing && (
              <ChangeDayLimit
                limits={now}
                currency={currency}
                hint={say.perDayHint(format.money(now.mostPerDay, currency))}
                onClose={() => setChanging(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** Payment instructions of the operator. */
const TopUp = ({ limits: { topUpUrl, topUpText } }: { limits: Limits }) => {
  const say = useText(text)
  if (topUpUrl === undefined && topUpText === undefined) return null
  return (
    <Text size="sm" mt="md">
      {topUpText}{' '}
      {topUpUrl !== undefined && (
        <Anchor href={topUpUrl} underline="always" target="_blank" rel="noreferrer">
          {say.topUp}
        </Anchor>
      )}
    </Text>
  )
}

interface ChangeProps {
  limits: Limits
  currency: string
  hint: string
  onClose: () => void
}

const ChangeDayLimit = ({ limits, currency, hint, onClose }: ChangeProps) => {
  const say = useText(text)
  const [input, setWish] = useState<Input>({ perDay: limits.perDay, perCall: limits.perCall, warnBelow: limits.warnBelow })
  const write = useWrite('changeLimits', { refreshes: ['readLimits'], onDone: onClose })
  return (
    <FormModal
      opened
      title={say.changeDayLimit}
      onClose={onClose}
      onSubmit={() => write.mutate([{}, written(input)])}
      pending={write.isPending}
      error={write.error}
    >
      <MoneyInput
        label={say.perDay}
        description={hint}
        currency={currency}
        value={input.perDay}
        onChange={(perDay) => setWish({ ...input, perDay })}
        error={fieldProblem(write.error, 'perDay')}
      />
      <MoneyInput
        label={say.perCall}
        description={say.perCallHint}
        currency={currency}
        value={input.perCall}
        onChange={(perCall) => setWish({ ...input, perCall })}
        error={fieldProblem(write.error, 'perCall')}
      />
      <MoneyInput
        label={say.warnBelow}
        description={say.warnBelowHint}
        currency={currency}
        value={input.warnBelow}
        onChange={(warnBelow) => setWish({ ...input, warnBelow })}
        error={fieldProblem(write.error, 'warnBelow')}
      />
    </FormModal>
  )
}

type Input = Record<'perDay' | 'perCall' | 'warnBelow', number | undefined>

/** Omits empty fields. */
const written = ({ perDay, perCall, warnBelow }: Input) => ({
  ...(perDay !== undefined && { perDay }),
  ...(perCall !== undefined && { perCall }),
  ...(warnBelow !== undefined && { warnBelow }),
})
