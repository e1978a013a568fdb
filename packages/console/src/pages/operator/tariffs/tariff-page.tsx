import { Group, SegmentedControl, Switch, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useParams } from 'wouter'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { text, type Said } from './text.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { MoneyInput } from '#lazy-parts/money-input.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { text as sharedText } from '../parts/text.ts'

/** One tariff and its rates. */
export const TariffPage = () => {
  const say = useText(text)
  const { tariffId = '' } = useParams()
  const tariff = useRead('readTariff', { tariffId })
  const [service, setService] = useState<Service>('CALL')
  const [past, setPast] = useState(false)
  const [adding, setAdding] = useState(false)
  const choices = services.map((value) => ({ value, label: say.services[value] }))
  const add = <AddButton onClick={() => setAdding(true)}>{say.addRate}</AddButton>
  return (
    <Page
      title={tariff.data?.name ?? tariffId}
      back={{ to: '/operator/tariffs', label: say.title }}
      description={say.ratesHint}
      actions={add}
    >
      <Group justify="space-between">
        <SegmentedControl aria-label={say.service} data={choices} value={service} onChange={setService} />
        <Switch label={say.past} checked={past} onChange={(event) => setPast(event.currentTarget.checked)} />
      </Group>
      <Loaded query={tariff}>
        {({ currency }) => (
          <>
            <Rates {...{ tariffId, currency, past, service, add }} />
            {adding && <RateForm {...{ tariffId, currency, service }} onClose={() => setAdding(false)} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface RateFormProps {
  tariffId: string
  currency: string
  /** The current one; another may be chosen. */
  service: Service
  onClose: () => void
}

export const RateForm = ({ tariffId, currency, service, onClose }: RateFormProps) => {
  const say = useText(text)
  const toast = useToast()
  const write = useWrite('setRate', {
    refreshes: ['listRates'],
    onDone: () => {
      toast.done(say.added)
      onClose()
    },
  })
  const form = useForm({ ...freshRate, service }, write.error)
  return (
    <FormModal
      opened
      title={say.addRate}
      onClose={onClose}
      onSubmit={() => write.mutate([{ tariffId }, bodyOf(form.values)])}
      submit={say.addRate}
      disabled={!isReadable(form.values)}
      pending={write.isPending}
      error={write.error}
    >
      <Select
        label={say.service}
        allowDeselect={false}
        data={services.map((value) => ({ value, label: say.services[value] }))}
        {...form.value('service')}
      />
      <TextInput label={say.prefix} description={say.prefixHint} autoComplete="off" {...form.text('prefix')} />
      <Switch label={say.blockedSwitch} {...form.tick('blocked')} />
      {!form.values.blocked && <Prices form={form} currency={currency} />}
      <TextInput type="datetime-local" label={say.validFrom} description={say.validFromHint} {...form.text('validFrom')} />
    </FormModal>
  )
}

const Prices = ({ form, currency }: { form: Form<RateValues>; currency: string }) => {
  const say = useText(text)
  const price = (name: 'connectFee' | 'ratePerMinute' | 'perUnit') => ({
    label: say[name],
    currency,
    value: form.values[name],
    onChange: (value: number | undefined) => form.set(name, value),
    error: form.value(name).error,
  })
  if (!lasts(form.values.service)) return <MoneyInput key="perUnit" {...price('perUnit')} />
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <MoneyInput {...price('ratePerMinute')} />
      <MoneyInput {...price('connectFee')} />
      <NumberInput label={say.minSeconds} min={0} max={3600} {...form.value('minSeconds')} />
      <NumberInput label={say.incrementSeconds} min={1} max={3600} {...form.value('incrementSeconds')} />
    </SimpleGrid>
  )
}

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

const nameOf = (prefix: string, say: Said): string => {
  const [country, digits] = prefix.split(':')
  if (digits !== undefined) return digits === '' ? say.shortNumbers(country ?? '') : `${country} ${digits}`
  return prefix === '' ? say.others : `+${prefix}`
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
    { key: 'prefix', header: say.prefix, cell: ({ prefix }) => nameOf(prefix, say) },
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

export const services = ['CALL', 'FAX', 'SMS', 'SIM'] as const

export type Service = (typeof services)[number]

export const freshRate = {
  service: 'CALL' as Service,
  prefix: '',
  blocked: false,
  connectFee: 0 as number | undefined,
  ratePerMinute: 0 as number | undefined,
  minSeconds: 60,
  incrementSeconds: 60,
  perUnit: 0 as number | undefined,
  validFrom: '',
}

export type RateValues = typeof freshRate

export const lasts = (service: Service): boolean => service === 'CALL' || service === 'FAX'

export const isReadable = ({ service, blocked, connectFee, ratePerMinute, perUnit }: RateValues): boolean =>
  blocked || !(lasts(service) ? [connectFee, ratePerMinute] : [perUnit]).includes(undefined)

/** Only the fields of the chosen service. */
export const bodyOf = ({ service, prefix, blocked, validFrom, ...prices }: RateValues) => ({
  service,
  prefix,
  blocked,
  ...(!blocked && pricesOf(service, prices)),
  ...(validFrom !== '' && { validFrom: new Date(validFrom).toISOString() }),
})

type PriceValues = Omit<RateValues, 'service' | 'prefix' | 'blocked' | 'validFrom'>

const pricesOf = (service: Service, { connectFee = 0, ratePerMinute = 0, minSeconds, incrementSeconds, perUnit = 0 }: PriceValues) =>
  lasts(service) ? { connectFee, ratePerMinute, minSeconds, incrementSeconds } : { perUnit }
