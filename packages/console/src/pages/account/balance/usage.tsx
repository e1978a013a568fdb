import { Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { csvFile } from '#parts/list/csv.ts'
import { CsvButton } from '#parts/list/list-bar.tsx'
import { DayField } from '#parts/list/day-field.tsx'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Money } from '#parts/value/values.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from './usage-text.ts'
import classes from './usage.module.css'

type Usage = OutputOf<'readUsage'>
type Item = Usage['items'][number]
type By = 'day' | 'type' | 'number' | 'user' | 'country'

const keys: readonly By[] = ['day', 'type', 'number', 'user', 'country']

/** Spending, by category or user. */
export const UsageSection = () => {
  const say = useText(text)
  const [by, setBy] = useState<By>('day')
  const [days, setDays] = useState({ from: '', to: '' })
  const usage = useRead('readUsage', { by, ...(days.from !== '' && { from: days.from }), ...(days.to !== '' && { to: days.to }) })
  const now = usage.data
  return (
    <Section title={say.usage} {...(now && { description: say.usageHint(now.timeZone) })}>
      <Group align="flex-end" gap="sm" mb="md">
        <SegmentedControl
          size="xs"
          aria-label={say.by}
          data={keys.map((key) => ({ value: key, label: say.keys[key] }))}
          value={by}
          onChange={(key) => setBy(keys.find((one) => one === key) ?? 'day')}
        />
        <DayField label={say.from} value={days.from || (now?.from ?? '')} onChange={(from) => setDays({ ...days, from })} />
        <DayField label={say.to} value={days.to || (now?.to ?? '')} onChange={(to) => setDays({ ...days, to })} />
      </Group>
      <Loaded query={usage}>{(shown) => <Table key={by} usage={shown} by={by} />}</Loaded>
    </Section>
  )
}

const Table = ({ usage: { items, total, currency, from, to }, by }: { usage: Usage; by: By }) => {
  const say = useText(text)
  const format = useFormat()
  const columns = useColumns(by, currency, Math.max(1, ...items.map(({ amount }) => amount)))
  return (
    <>
      <Facts
        across
        facts={[
          [say.total, <Money key="total" amount={total.amount} currency={currency} />],
          [say.calls, format.number(total.calls)],
          [say.minutes, format.number(total.minutes, 1)],
          [say.messages, format.number(total.messages)],
          [say.pages, format.number(total.pages)],
        ]}
      />
      <List
        rows={items}
        name="usage"
        label={`${say.usage}: ${say.keys[by]}`}
        columns={columns}
        rowKey={({ key }) => key}
        empty={
          <EmptyState icon="wallet" title={say.none}>
            {say.noneHint}
          </EmptyState>
        }
      />
      {items.length > 0 && <CsvButton name={`usage-${by}-${from}-${to}`} make={() => Promise.resolve(csvFile(columns, items))} />}
    </>
  )
}

/** `max`: the largest amount, whose bar has full width. */
const useColumns = (by: By, currency: string, max: number): Column<Item>[] => {
  const say = useText(text)
  const format = useFormat()
  const nameOf = useNames(by)
  const count = (key: 'calls' | 'minutes' | 'messages' | 'pages', header: string): Column<Item> => ({
    key,
    header,
    align: 'right',
    wideOnly: true,
    value: (item) => item[key],
    cell: (item) => (item[key] === 0 ? '' : format.number(item[key], 1)),
  })
  return [
    { key: 'key', header: say.keys[by], value: by === 'day' ? ({ key }) => key : nameOf, cell: nameOf },
    {
      key: 'share',
      header: say.share,
      wideOnly: true,
      cell: ({ amount }) => (
        <span className={classes.track} aria-hidden>
          <span className={classes.bar} style={{ width: `${Math.max(0, (amount / max) * 100)}%` }} />
        </span>
      ),
    },
    count('calls', say.calls),
    count('minutes', say.minutes),
    count('messages', say.messages),
    count('pages', say.pages),
    {
      key: 'amount',
      header: say.amount,
      align: 'right',
      value: ({ amount }) => amount / 10_000,
      cell: ({ amount }) => <Money amount={amount} currency={currency} />,
    },
  ]
}

const useNames = (by: By): ((item: Item) => string) => {
  const say = useText(text)
  const format = useFormat()
  const { language } = useLanguage()
  const types: Readonly<Record<string, string>> = say.types
  const countries = new Intl.DisplayNames(language, { type: 'region' })
  return ({ key, name }) => {
    if (key === 'unknown') return say.unknown
    if (by === 'day') return format.date(key)
    if (by === 'type') return types[key] ?? key
    if (by === 'number') return format.phone(key)
    if (by === 'country') return countries.of(key) ?? key
    return name ?? key
  }
}
