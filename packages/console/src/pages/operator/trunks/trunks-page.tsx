import { Text } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { SmsRoutes } from './sms-routes.tsx'
import { text } from './text.ts'
import { TrunkForm } from './trunk-form.tsx'
import type { Trunk } from './trunk-values.ts'
import { TrunkQuality } from './trunk-quality.tsx'
import { TrunkState } from './trunk-state.tsx'

/** The ways to other networks, and whether they work. */
export const TrunksPage = () => {
  const say = useText(text)
  const trunks = useRead('listTrunks', {}, { every: 5_000 })
  const [open, setOpen] = useState<Trunk | 'new'>()
  const columns = useColumns()
  const create = <AddButton onClick={() => setOpen('new')}>{say.create}</AddButton>
  return (
    <Page title={say.title} description={say.description} actions={create}>
      <Section flush>
        <List
          query={trunks}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          rowActions={(trunk) => <TrunkMenu trunk={trunk} onEdit={() => setOpen(trunk)} />}
          empty={
            <EmptyState icon="trunk" title={say.none} action={create}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      <SmsRoutes />
      {open && <TrunkForm {...(open !== 'new' && { trunk: open })} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

const useColumns = (): Column<Trunk>[] => {
  const say = useText(text)
  const counted = useRead('readTrunkQuality', {}, { every: 30_000 }).data?.items
  const quality = (id: string) => counted?.find(({ trunkId }) => trunkId === id)
  return [
    {
      key: 'name',
      header: say.name,
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Text span inherit fw={550}>
          {name}
        </Text>
      ),
    },
    { key: 'state', header: say.state, cell: (trunk) => <TrunkState trunk={trunk} /> },
    {
      key: 'since',
      header: say.since,
      value: ({ state }) => state?.since,
      cell: ({ state }) => (state ? <Time at={state.since} relative /> : '–'),
    },
    {
      key: 'calls',
      header: say.calls,
      value: ({ state }) => state?.calls ?? 0,
      align: 'right',
      cell: ({ state, maxCalls }) => `${state?.calls ?? 0}\u00a0/\u00a0${maxCalls}`,
    },
    {
      key: 'host',
      header: say.host,
      cell: ({ host, port, transport }) => `${host.includes(':') ? `[${host}]` : host}:${port} ${transport}`,
      breaks: true,
    },
    {
      key: 'quality',
      header: say.quality,
      value: ({ id }) => quality(id)?.answered,
      cell: ({ id }) => <TrunkQuality quality={quality(id)} />,
    },
    { key: 'priority', header: say.priority, align: 'right', cell: ({ priority }) => priority, wideOnly: true },
  ]
}

const TrunkMenu = ({ trunk, onEdit }: { trunk: Trunk; onEdit: () => void }) => {
  const say = useText(text)
  const shared = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const remove = useWrite('deleteTrunk', { refreshes: ['listTrunks'], onDone: () => toast.done(say.removed) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.removeTitle(trunk.name), body: say.removeBody, confirm: shared.remove }))
      remove.mutate([{ trunkId: trunk.id }], { onError: toast.failed })
  }
  return (
    <RowMenu
      label={shared.actionsFor(trunk.name)}
      actions={[
        { label: shared.edit, icon: 'edit', onClick: onEdit },
        { label: shared.remove, icon: 'trash', onClick: () => void ask(), danger: true },
      ]}
    />
  )
}
