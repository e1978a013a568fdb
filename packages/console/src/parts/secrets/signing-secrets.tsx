import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import { AddButton } from '../page/add-button.tsx'
import { useConfirm } from '../dialog/confirm.tsx'
import { Loaded } from '../page/loaded.tsx'
import { SecretModal } from '../dialog/secret-modal.tsx'
import { Section } from '../page/section.tsx'
import { useToast } from '../dialog/toast.tsx'
import { Group } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Column } from '../list/columns.ts'
import { List } from '../list/list.tsx'
import { EmptyState } from '../page/empty-state.tsx'
import { RowMenu } from '../table/row-menu.tsx'
import { StatusBadge } from '../value/status-badge.tsx'
import { Time } from '../value/values.tsx'

import { text } from './signing-secrets-text.ts'

/** Secrets that sign requests to customers' software: a new one is shown once, older ones stay valid for a while. */
export const SigningSecrets = ({ words, secrets, onCreate, creating, onDelete }: SigningSecretsProps) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const [shown, setShown] = useState<string>()
  const ask = async (): Promise<void> => {
    const isFirst = secrets.data?.items.length === 0
    if (!isFirst && !(await confirm({ title: say.createTitle, body: say.createBody, confirm: say.create, danger: false }))) return
    await onCreate().then(({ secret }) => setShown(secret), toast.failed)
  }
  const button = (
    <AddButton variant="default" onClick={() => void ask()} loading={creating} disabled={!secrets.data}>
      {say.create}
    </AddButton>
  )
  return (
    <Section title={say.title} description={words.about} actions={button} flush>
      <Loaded query={secrets}>{({ items }) => <SecretTable words={words} secrets={items} onDelete={onDelete} />}</Loaded>
      <SecretModal
        title={say.create}
        secrets={shown === undefined ? undefined : [{ label: say.secret, value: shown }]}
        onClose={() => setShown(undefined)}
      />
    </Section>
  )
}

interface SigningSecret {
  id: string
  createdAt: string
  expiresAt?: string
}

/** Texts about the secrets' purpose. */
interface SecretWords {
  about: string
  emptyTitle: string
  empty: string
  /** Consequence of deleting the only one. */
  removeLast: string
}

interface SigningSecretsProps {
  words: SecretWords
  secrets: UseQueryResult<{ items: SigningSecret[] }>
  onCreate: () => Promise<{ secret: string }>
  creating: boolean
  onDelete: (secretId: string) => Promise<unknown>
}

interface SecretTableProps extends Pick<SigningSecretsProps, 'words' | 'onDelete'> {
  secrets: readonly SigningSecret[]
}

const SecretTable = ({ words, secrets, onDelete }: SecretTableProps) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const newest = secrets[0]?.id
  const ask = async ({ id }: SigningSecret): Promise<void> => {
    const body = secrets.length === 1 ? `${say.removeBody} ${words.removeLast}` : say.removeBody
    if (await confirm({ title: say.removeTitle, body, confirm: say.remove })) await onDelete(id).catch(toast.failed)
  }
  const columns: Column<SigningSecret>[] = [
    { key: 'id', header: say.id, cell: ({ id }) => <SecretId id={id} isNewest={id === newest} /> },
    { key: 'created', header: say.createdAt, value: ({ createdAt }) => createdAt, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { key: 'expires', header: say.expires, cell: ({ expiresAt }) => (expiresAt === undefined ? say.forever : <Time at={expiresAt} />) },
  ]
  return (
    <List
      name="secrets"
      label={say.title}
      rows={secrets}
      columns={columns}
      rowKey={({ id }) => id}
      rowActions={(secret) => (
        <RowMenu
          label={say.actionsFor(shortId(secret.id))}
          actions={[{ label: say.remove, icon: 'trash', danger: true, onClick: () => void ask(secret) }]}
        />
      )}
      empty={
        <EmptyState icon="key" title={words.emptyTitle}>
          {words.empty}
        </EmptyState>
      }
    />
  )
}

const shortId = (id: string): string => id.slice(0, 8)

const SecretId = ({ id, isNewest }: { id: string; isNewest: boolean }) => {
  const say = useText(text)
  return (
    <Group gap="xs">
      <code>{shortId(id)}</code>
      {isNewest && <StatusBadge tone="good">{say.newest}</StatusBadge>}
    </Group>
  )
}
