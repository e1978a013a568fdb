import { Anchor, Text } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Document = OutputOf<'listKnowledge'>['items'][number]

const tones: Readonly<Record<Document['state'], Tone>> = { PENDING: 'busy', READY: 'good', FAILED: 'bad' }

/** How often a document that is being read is looked at, in milliseconds. */
const pollIntervalMs = 2_000

export const DocumentTable = ({ flowId }: { flowId: string }) => {
  const documents = useRead('listKnowledge', { aiFlowId: flowId }, { every: pollIntervalMs })
  return <Loaded query={documents}>{({ items }) => <Table flowId={flowId} documents={items} />}</Loaded>
}

const Table = ({ flowId, documents }: { flowId: string; documents: readonly Document[] }) => {
  const say = useText(text)
  const { number, bytes } = useFormat()
  const remove = useRemove(flowId)
  const columns: Column<Document>[] = [
    {
      key: 'name',
      header: say.name,
      value: ({ name }) => name,
      cell: ({ name, url }) => (url === undefined ? name : <Page name={name} url={url} />),
      breaks: true,
    },
    { key: 'state', header: say.state, cell: (document) => <State document={document} /> },
    { key: 'kind', header: say.kind, cell: ({ kind }) => say.kinds[kind] },
    { key: 'passages', header: say.passages, cell: ({ passages }) => number(passages), align: 'right' },
    { key: 'size', header: say.size, cell: (document) => bytes(document.bytes), align: 'right' },
    { key: 'added', header: say.added, value: ({ addedAt }) => addedAt, cell: ({ addedAt }) => <Time at={addedAt} relative /> },
  ]
  return (
    <List
      label={say.documents}
      rows={documents}
      columns={columns}
      rowKey={({ id }) => id}
      {...(remove && {
        rowActions: (document: Document) => (
          <RowMenu
            label={say.actionsFor(document.name)}
            actions={[{ label: say.remove, icon: 'trash', onClick: () => void remove(document), danger: true }]}
          />
        ),
      })}
      empty={
        <EmptyState icon="book" title={say.emptyTitle}>
          {say.empty}
        </EmptyState>
      }
    />
  )
}

const Page = ({ name, url }: { name: string; url: string }) => (
  <Anchor href={url} target="_blank" rel="noreferrer">
    {name}
  </Anchor>
)

const State = ({ document: { state, problem } }: { document: Document }) => {
  const say = useText(text)
  return (
    <>
      <StatusBadge tone={tones[state]} pulse={state === 'PENDING'}>
        {say.states[state]}
      </StatusBadge>
      {problem !== undefined && (
        <Text size="xs" lang="en" mt={4}>
          {problem}
        </Text>
      )}
    </>
  )
}

/** Undefined without the permission. */
const useRemove = (flowId: string): ((document: Document) => Promise<void>) | undefined => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const may = useMay()
  const remove = useWrite('deleteKnowledge', { refreshes: ['listKnowledge'], onDone: () => toast.done(say.removed) })
  if (!may('CAN_CHANGE_FLOWS')) return undefined
  return async ({ id, name }) => {
    if (!(await confirm({ title: say.removeTitle(name), body: say.removeBody, confirm: say.remove }))) return
    remove.mutate([{ aiFlowId: flowId, documentId: id }], { onError: (error) => toast.failed(error) })
  }
}
