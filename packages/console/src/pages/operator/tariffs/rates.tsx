import type { ReactNode } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import type { Service } from './rate-values.ts'
import { text } from './text.ts'

type Rate = OutputOf<'listRates'>['items'][number]

interface RatesProps {
  tariffId: string
  currency: string
  past: boolean
  service: Service
  add: ReactNode
}

export const Rates = ({ tariffId, currency, past, service, add }: RatesProps) => {
  const say = useText(text)
  const rates = useRead('listRates', { tariffId, ...(past && { past }), service })
  const columns = useColumns(currency)
  return (
    <Section flush>
      <Loaded query={rates}>
        {({ items }) => (
          <List
            name="rates"
            label={say.rates}
            rows={items.toSorted(byPrefix)}
            columns={columns}
            rowKey={({ id }) => String(id)}
            rowActions={(rate) => <RateMenu tariffId={tariffId} rate={rate} />}
            search={say.find}
            empty={
              <EmptyState icon="tag" title={say.noRate} action={add}>
                {say.noRateHint}
              </EmptyState>
            }
          />
        )}
      </Loaded>
    </Section>
  )
}

/** As in a telephone book: +49, +4915, +50. */
const byPrefix = (one: Rate, other: Rate): number => (one.prefix < other.prefix ? -1 : one.prefix > other.prefix ? 1 : one.id - other.id)

const useColumns = (currency: string): Column<Rate>[] => {
  const say = useText(text)
  const format = useFormat()
  const priceOf = (rate: Rate): ReactNode => {
    if (rate.blocked) return <StatusBadge tone="warning">{say.blocked}</StatusBadge>
    if (rate.service === 'SMS' || rate.service === 'SIM') return say.each(format.money(rate.perUnit, currency))
    const parts = [say.perMinute(format.money(rate.ratePerMinute, currency))]
    if (rate.connectFee > 0) parts.push(say.plusFee(format.money(rate.connectFee, currency)))
    return parts.join(' + ')
  }
  return [
    { key: 'prefix', header: say.prefix, cell: ({ prefix }) => (prefix === '' ? say.others : `+${prefix}`) },
    { key: 'price', header: say.price, cell: priceOf },
    {
      key: 'steps',
      header: say.billing,
      cell: ({ minSeconds, incrementSeconds }) => say.steps(minSeconds, incrementSeconds),
      wideOnly: true,
    },
    { key: 'from', header: say.from, value: ({ validFrom }) => validFrom, cell: ({ validFrom }) => <Time at={validFrom} /> },
    { key: 'until', header: say.until, cell: ({ validUntil }) => (validUntil === undefined ? say.open : <Time at={validUntil} />) },
  ]
}

const RateMenu = ({ tariffId, rate: { id, service, prefix, validUntil } }: { tariffId: string; rate: Rate }) => {
  const say = useText(text)
  const { actionsFor } = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const close = useWrite('closeRate', { refreshes: ['listRates'], onDone: () => toast.done(say.ended) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.endTitle, body: say.endBody, confirm: say.end }))
      close.mutate([{ tariffId, rateId: String(id) }], { onError: toast.failed })
  }
  if (validUntil !== undefined) return null
  return (
    <RowMenu
      label={actionsFor(say.rateName(say.services[service], prefix))}
      actions={[{ label: say.end, icon: 'stop', onClick: () => void ask(), danger: true }]}
    />
  )
}
