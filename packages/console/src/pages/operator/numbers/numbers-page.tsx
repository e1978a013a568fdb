import { Box, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '#api/client.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { AccountLink } from '../parts/account-link.tsx'
import { AccountSelect } from '../parts/account-select.tsx'
import { text as sharedText } from '../parts/text.ts'
import { useListState } from '#parts/list/use-list-state.ts'
import { usePages } from '#parts/list/use-pages.ts'
import { useWrite, type OutputOf, useRead } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { text } from './text.ts'

const tones: Record<OperatorNumber['state'], Tone> = {
  ACTIVE: 'good',
  ADDRESS_PENDING: 'warning',
  DEACTIVATED: 'quiet',
  PORTING_IN: 'busy',
  PORTED_OUT: 'quiet',
}

/** Every number, its owner and its state. */
export const NumbersPage = () => {
  const say = useText(text)
  const state = useListState()
  const [accountId, number] = [state.filter('account'), state.search.trim()]
  const [assigning, setAssigning] = useState(false)
  const filter = { ...(accountId !== '' && { accountId }), ...(number !== '' && { number }) }
  const pages = usePages(
    'listAllNumbers',
    filter,
    (page) => api.listAllNumbers({ ...filter, ...page }),
    ({ id }) => id,
  )
  const columns = useColumns()
  const filtered = accountId !== ''
  const assign = <AddButton onClick={() => setAssigning(true)}>{say.assign}</AddButton>
  return (
    <Page title={say.title} description={say.description} actions={assign}>
      <Box maw="24rem">
        <AccountSelect optional value={accountId} onChange={(account) => state.set({ account })} />
      </Box>
      <Section flush>
        <List
          pages={pages}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          search={say.find}
          rowActions={(row) => <NumberMenu number={row} />}
          empty={
            <EmptyState
              icon={filtered ? 'search' : 'hash'}
              title={filtered ? say.noMatch : say.none}
              {...(!filtered && { action: assign })}
            >
              {filtered ? say.noMatchHint : say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      {assigning && <AssignNumber accountId={accountId} onClose={() => setAssigning(false)} />}
    </Page>
  )
}

const useColumns = (): Column<OperatorNumber>[] => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const format = useFormat()
  return [
    { key: 'number', header: say.number, value: ({ number }) => number, cell: ({ number }) => <PhoneNumber number={number} /> },
    {
      key: 'account',
      header: account,
      value: ({ accountId }) => accountId,
      cell: ({ accountId }) => <AccountLink accountId={accountId} />,
    },
    {
      key: 'state',
      header: say.state,
      cell: ({ state, decideBy }) => (
        <StatusBadge tone={tones[state]}>
          {say.states[state]}
          {decideBy === undefined ? '' : `, ${say.decideBy(format.day(decideBy))}`}
        </StatusBadge>
      ),
    },
    { key: 'type', header: say.type, cell: ({ type }) => say.types[type], wideOnly: true },
    { key: 'endpoint', header: say.leadsTo, cell: ({ endpointAlias, endpointId }) => endpointAlias || endpointId || say.nowhere },
  ]
}

export type OperatorNumber = OutputOf<'listAllNumbers'>['items'][number]

/** The operator's actions on a number in its state. */
export const NumberMenu = ({ number: { id: numberId, number, state, type } }: { number: OperatorNumber }) => {
  const say = useText(text)
  const { actionsFor, saved } = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const after = { refreshes: ['listAllNumbers'] as const, onDone: () => toast.done(saved) }
  const deactivate = useWrite('deactivateNumber', after)
  const reactivate = useWrite('reactivateNumber', after)
  const confirmIt = useWrite('confirmNumber', after)
  const release = useWrite('releaseNumber', after)
  const onError = toast.failed
  const askDeactivate = async (): Promise<void> => {
    if (await confirm({ title: say.deactivateTitle(number), body: say.deactivateBody, confirm: say.deactivate }))
      deactivate.mutate([{ numberId }], { onError })
  }
  const askRelease = async (): Promise<void> => {
    if (await confirm({ title: say.releaseTitle(number), body: say.releaseBody, confirm: say.release }))
      release.mutate([{ numberId }], { onError })
  }
  if (type === 'QUICKDIAL') return null
  const actions: MenuAction[] = [
    ...(state === 'ADDRESS_PENDING'
      ? [{ label: say.confirmAddress, icon: 'check' as const, onClick: () => confirmIt.mutate([{ numberId }], { onError }) }]
      : []),
    ...(state === 'DEACTIVATED'
      ? [{ label: say.reactivate, icon: 'play' as const, onClick: () => reactivate.mutate([{ numberId }], { onError }) }]
      : [{ label: say.deactivate, icon: 'pause' as const, onClick: () => void askDeactivate(), disabled: state.startsWith('PORT') }]),
    { label: say.release, icon: 'trash', onClick: () => void askRelease(), danger: true },
  ]
  return <RowMenu label={actionsFor(number)} actions={actions} />
}

export const AssignNumber = ({ accountId, onClose }: { accountId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const assign = useWrite('assignNumber', {
    refreshes: ['listAllNumbers'],
    onDone: () => {
      toast.done(say.assigned)
      onClose()
    },
  })
  const form = useForm({ accountId, number: '', addressId: null as string | null }, assign.error)
  const { values } = form
  const addresses = useRead('listAccountAddresses', { accountId: values.accountId }, { when: values.accountId !== '' })
  const places = (addresses.data?.items ?? []).map(({ id, streetAddress, postalCode, locality }) => ({
    value: id,
    label: `${streetAddress}, ${postalCode} ${locality}`,
  }))
  const submit = (): void => {
    const { addressId, ...rest } = values
    assign.mutate([{}, { ...rest, ...(addressId !== null && { addressId }) }])
  }
  return (
    <FormModal
      opened
      title={say.assign}
      onClose={onClose}
      onSubmit={submit}
      submit={say.assign}
      pending={assign.isPending}
      error={assign.error}
    >
      <AccountSelect
        value={values.accountId}
        onChange={(chosen) => form.reset({ ...values, accountId: chosen, addressId: null })}
        error={fieldProblem(assign.error, 'accountId')}
      />
      <TextInput label={say.number} description={say.numberHint} required inputMode="tel" {...form.text('number')} />
      <Select
        label={say.address}
        description={say.addressHint}
        placeholder={say.noAddress}
        clearable
        data={places}
        {...form.value('addressId')}
      />
    </FormModal>
  )
}
