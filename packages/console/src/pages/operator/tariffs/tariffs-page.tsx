import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { BillingSection } from './billing.tsx'
import { LimitsForAll } from './limits-for-all.tsx'
import { text } from './text.ts'

type Tariff = OutputOf<'listTariffs'>['items'][number]

export const TariffsPage = () => {
  const say = useText(text)
  const tariffs = useRead('listTariffs')
  const [creating, setCreating] = useState(false)
  const columns: Column<Tariff>[] = [
    { key: 'name', header: say.name, cell: ({ name }) => name },
    { key: 'id', header: say.id, cell: ({ id }) => id },
    { key: 'currency', header: say.currency, cell: ({ currency }) => currency },
    { key: 'created', header: say.created, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => <Time at={createdAt} relative /> },
  ]
  const create = <AddButton onClick={() => setCreating(true)}>{say.create}</AddButton>
  return (
    <Page title={say.title} description={say.description} actions={create}>
      <Section flush>
        <List
          query={tariffs}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/operator/tariffs/${id}`}
          empty={
            <EmptyState icon="tag" title={say.none} action={create}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      <LimitsForAll />
      <BillingSection />
      {creating && <CreateTariff onClose={() => setCreating(false)} />}
    </Page>
  )
}

const CreateTariff = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const [, go] = useLocation()
  const create = useWrite('createTariff', { refreshes: ['listTariffs'], onDone: ({ id }) => go(`/operator/tariffs/${id}`) })
  const form = useForm({ id: '', name: '', currency: 'EUR' }, create.error)
  return (
    <FormModal
      opened
      title={say.create}
      onClose={onClose}
      onSubmit={() => create.mutate([{}, form.values])}
      submit={say.create}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={say.name} required data-autofocus {...form.text('name')} />
      <TextInput label={say.id} description={say.idHint} required {...form.text('id')} />
      <TextInput label={say.currency} description={say.currencyHint} required maxLength={3} {...form.text('currency')} />
    </FormModal>
  )
}
