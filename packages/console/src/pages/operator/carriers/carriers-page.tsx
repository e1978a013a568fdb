import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { TextInput } from '@mantine/core'
import { FormModal } from '#parts/form/form-modal.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { text } from './text.ts'

export const CarriersPage = () => {
  const say = useText(text)
  const carriers = useRead('listCarriers')
  const own = useRead('readInstallation').data?.carrierCode
  const [open, setOpen] = useState<Carrier | 'new'>()
  const columns: Column<Carrier>[] = [
    { key: 'name', header: say.name, cell: ({ name }) => name },
    { key: 'code', header: say.code, cell: ({ code }) => code },
    { key: 'url', header: say.url, cell: ({ url }) => url },
  ]
  const create = <AddButton onClick={() => setOpen('new')}>{say.create}</AddButton>
  return (
    <Page title={say.title} description={`${say.description} ${own === undefined ? '' : say.ownCode(own)}`} actions={create}>
      <Section flush>
        <List
          query={carriers}
          label={say.list}
          columns={columns}
          rowKey={({ code }) => code}
          rowActions={(carrier) => <CarrierMenu carrier={carrier} onEdit={() => setOpen(carrier)} />}
          empty={
            <EmptyState icon="switch" title={say.none} action={create}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      {open && <CarrierForm {...(open !== 'new' && { carrier: open })} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

const CarrierMenu = ({ carrier: { code, name }, onEdit }: { carrier: Carrier; onEdit: () => void }) => {
  const say = useText(text)
  const shared = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const remove = useWrite('deleteCarrier', { refreshes: ['listCarriers'], onDone: () => toast.done(say.removed) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.removeTitle(name), body: say.removeBody, confirm: shared.remove }))
      remove.mutate([{ carrierCode: code }], { onError: toast.failed })
  }
  return (
    <RowMenu
      label={shared.actionsFor(name)}
      actions={[
        { label: shared.edit, icon: 'edit', onClick: onEdit },
        { label: shared.remove, icon: 'trash', onClick: () => void ask(), danger: true },
      ]}
    />
  )
}

export type Carrier = OutputOf<'listCarriers'>['items'][number]

/** A new or an existing carrier; a generated secret is shown once. */
export const CarrierForm = ({ carrier, onClose }: { carrier?: Carrier; onClose: () => void }) => {
  const say = useText(text)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const [made, setMade] = useState<string>()
  const refreshes = ['listCarriers'] as const
  const done = (): void => {
    toast.done(saved)
    onClose()
  }
  const create = useWrite('createCarrier', { refreshes, onDone: ({ secret }) => (secret === undefined ? done() : setMade(secret)) })
  const update = useWrite('updateCarrier', { refreshes, onDone: done })
  const { error, isPending } = carrier ? update : create
  const form = useForm({ code: carrier?.code ?? '', name: carrier?.name ?? '', url: carrier?.url ?? '', secret: '' }, error)
  const { code, name, url, secret } = form.values
  const submit = (): void => {
    const body = { name, url, ...(secret !== '' && { secret }) }
    if (carrier) update.mutate([{ carrierCode: carrier.code }, body])
    else create.mutate([{}, { code, ...body }])
  }
  if (made !== undefined) return <SecretModal title={say.made(name)} secrets={[{ label: say.secret, value: made }]} onClose={onClose} />
  return (
    <FormModal opened title={carrier?.name ?? say.create} onClose={onClose} onSubmit={submit} pending={isPending} error={error}>
      {!carrier && <TextInput label={say.code} description={say.codeHint} required data-autofocus {...form.text('code')} />}
      <TextInput label={say.name} required {...form.text('name')} />
      <TextInput label={say.url} description={say.urlHint} required type="url" {...form.text('url')} />
      <TextInput
        label={say.secret}
        description={carrier ? say.secretKept : say.secretNew}
        autoComplete="off"
        placeholder="whsec_…"
        {...form.text('secret')}
      />
    </FormModal>
  )
}
