import { useState } from 'react'
import { api } from '#api/client.ts'
import { useWrite, type OutputOf, useRead } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { useListState } from '#parts/list/use-list-state.ts'
import { usePages } from '#parts/list/use-pages.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { Alert, List as Points, Textarea } from '@mantine/core'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { MoneyInput } from '#lazy-parts/money-input.tsx'
import { text } from './text.ts'

type StockNumber = OutputOf<'readStock'>['items'][number]

/** Numbers that accounts can order without the operator. */
export const StockPage = () => {
  const say = useText(text)
  const [adding, setAdding] = useState(false)
  const digits = useListState().search.replaceAll(/\D/g, '').replace(/^0+/, '')
  const filter = digits === '' ? {} : { digits }
  const pages = usePages(
    'readStock',
    filter,
    (page) => api.readStock({ ...filter, ...page }),
    ({ number }) => number,
  )
  const columns = useColumns()
  const add = <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>
  return (
    <Page title={say.title} description={say.description} actions={add}>
      <Section flush>
        <List
          pages={pages}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          search={say.find}
          rowActions={(row) => <StockMenu stocked={row} />}
          empty={
            <EmptyState icon="hash" title={say.none} action={add}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      {adding && <AddStock onClose={() => setAdding(false)} />}
    </Page>
  )
}

const useColumns = (): Column<StockNumber>[] => {
  const say = useText(text)
  const { number: inWords, day } = useFormat()
  const stateOf = ({ numberId, restsUntil }: StockNumber): string =>
    numberId !== undefined ? say.isTaken : restsUntil === undefined ? say.isFree : say.rests(day(restsUntil))
  return [
    { key: 'number', header: say.number, value: ({ number }) => number, cell: ({ number }) => <PhoneNumber number={number} /> },
    { key: 'area', header: say.area, cell: ({ area }) => (area === '' ? '–' : `0${area}`), wideOnly: true },
    {
      key: 'price',
      header: say.price,
      align: 'right',
      value: ({ price }) => price,
      cell: ({ price }) => (price === 0 ? say.free : inWords(price / 10_000, 2)),
    },
    {
      key: 'state',
      header: say.state,
      value: stateOf,
      cell: (row) => <StatusBadge tone={stateOf(row) === say.isFree ? 'good' : 'quiet'}>{stateOf(row)}</StatusBadge>,
    },
  ]
}

const StockMenu = ({ stocked: { id: stockId, number } }: { stocked: StockNumber }) => {
  const say = useText(text)
  const { actionsFor } = useText(sharedText)
  const { phone } = useFormat()
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('removeStock', { refreshes: ['readStock'], onDone: () => toast.done(say.removed) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.removeTitle(phone(number)), body: say.removeBody, confirm: say.remove }))
      remove.mutate([{ stockId }], { onError: toast.failed })
  }
  return (
    <RowMenu label={actionsFor(phone(number))} actions={[{ label: say.remove, icon: 'trash', onClick: () => void ask(), danger: true }]} />
  )
}

/** Adds numbers to the stock. Rejected ones stay in the field, with the reason. */
export const AddStock = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [written, setWritten] = useState('')
  const [price, setPrice] = useState<number>()
  const currency = useRead('listTariffs').data?.items[0]?.currency ?? ''
  const add = useWrite('addStock', {
    refreshes: ['readStock'],
    onDone: ({ added, refused }) => {
      if (added > 0) toast.done(say.added(added))
      if (refused.length === 0) onClose()
      else setWritten(refused.map(({ number }) => number).join('\n'))
    },
  })
  const numbers = written
    .split(/[\n,;]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const refused = add.data?.refused ?? []
  return (
    <FormModal
      opened
      title={say.add}
      submit={say.add}
      onClose={onClose}
      onSubmit={() => add.mutate([{}, { numbers, ...(price !== undefined && { price }) }])}
      disabled={numbers.length === 0}
      pending={add.isPending}
      error={add.error}
    >
      <Textarea
        label={say.numbers}
        description={say.numbersHint}
        autosize
        minRows={4}
        maxRows={12}
        required
        data-autofocus
        value={written}
        onChange={(event) => setWritten(event.currentTarget.value)}
        error={fieldProblem(add.error, 'numbers')}
      />
      <MoneyInput label={say.price} description={say.priceHint} currency={currency} value={price} onChange={setPrice} />
      {refused.length > 0 && (
        <Alert color="yellow" icon={<Icon name="alert" />} title={say.refused}>
          <Points size="sm">
            {refused.map(({ number, reason }) => (
              <Points.Item key={number}>
                {number}: {say.reasons[reason]}
              </Points.Item>
            ))}
          </Points>
        </Alert>
      )}
    </FormModal>
  )
}
