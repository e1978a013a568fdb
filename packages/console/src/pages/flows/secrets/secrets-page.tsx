import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '../../../api/use-service.ts'
import { useConfirm } from '../../../parts/confirm.tsx'
import { DataTable, type Column } from '../../../parts/data-table.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { RowMenu } from '../../../parts/row-menu.tsx'
import { SecretModal } from '../../../parts/secret-modal.tsx'
import { Section } from '../../../parts/section.tsx'
import { StatusBadge } from '../../../parts/status-badge.tsx'
import { useToast } from '../../../parts/toast.tsx'
import { Time } from '../../../parts/values.tsx'
import { useText } from '../../../words/use-text.tsx'
import { FlowFrame } from '../flow-frame.tsx'
import { text } from './text.ts'

type Secret = OutputOf<'listFlowSecrets'>['items'][number]

/** What signs the events of a flow. */
export const SecretsPage = () => <FlowFrame tab="secrets">{({ id }) => <Secrets flowId={id} />}</FlowFrame>

const Secrets = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const secrets = useRead('listFlowSecrets', { aiFlowId: flowId })
  const create = useWrite('createFlowSecret', { refreshes: ['listFlowSecrets'] })
  const [shown, setShown] = useState<string>()
  const ask = async (): Promise<void> => {
    const isFirst = secrets.data?.items.length === 0
    if (!isFirst && !(await confirm({ title: say.createTitle, body: say.createBody, confirm: say.create }))) return
    create.mutate([{ aiFlowId: flowId }], { onSuccess: ({ secret }) => setShown(secret), onError: (error) => toast.failed(error) })
  }
  const button = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => void ask()} loading={create.isPending}>
      {say.create}
    </Button>
  )
  return (
    <Section title={say.title} description={say.about} actions={button} flush>
      <Loaded query={secrets}>{({ items }) => <SecretTable flowId={flowId} secrets={items} />}</Loaded>
      <SecretModal
        title={say.shown}
        secrets={shown === undefined ? undefined : [{ label: say.secret, value: shown }]}
        onClose={() => setShown(undefined)}
      />
    </Section>
  )
}

const SecretTable = ({ flowId, secrets }: { flowId: string; secrets: readonly Secret[] }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const remove = useWrite('deleteFlowSecret', { refreshes: ['listFlowSecrets'] })
  const ask = async ({ id }: Secret): Promise<void> => {
    const body = secrets.length === 1 ? `${say.removeBody} ${say.removeLast}` : say.removeBody
    if (!(await confirm({ title: say.removeTitle, body, confirm: say.remove, danger: true }))) return
    remove.mutate([{ aiFlowId: flowId, secretId: id }], { onError: (error) => toast.failed(error) })
  }
  const columns: Column<Secret>[] = [
    {
      key: 'id',
      header: say.id,
      cell: ({ id }) => (
        <Group gap="xs">
          <code>{id.slice(0, 8)}</code>
          {id === secrets[0]?.id && <StatusBadge tone="good">{say.newest}</StatusBadge>}
        </Group>
      ),
    },
    { key: 'created', header: say.createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { key: 'expires', header: say.expires, cell: ({ expiresAt }) => (expiresAt === undefined ? say.forever : <Time at={expiresAt} />) },
  ]
  return (
    <DataTable
      label={say.title}
      rows={secrets}
      columns={columns}
      rowKey={({ id }) => id}
      rowActions={(secret) => (
        <RowMenu label={say.actionsFor} deeds={[{ label: say.remove, icon: 'trash', danger: true, onClick: () => void ask(secret) }]} />
      )}
      empty={
        <EmptyState icon="key" title={say.emptyTitle}>
          {say.empty}
        </EmptyState>
      }
    />
  )
}
