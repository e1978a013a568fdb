import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { OauthClientForm, type OauthClient } from './oauth-client-form.tsx'
import { text } from './text.ts'

type Secret = OutputOf<'resetOauthClientSecret'>

const refreshes = ['listOauthClients'] as const

/** Programs that request access from other people. */
export const OauthClients = () => {
  const say = useText(text)
  const clients = useRead('listOauthClients')
  const [edited, setEdited] = useState<OauthClient | 'new'>()
  const [secret, setSecret] = useState<Secret>()
  const columns = useColumns()
  const actionsOf = useRowActions(setEdited, setSecret)
  const shown = secret && [
    { label: say.clientId, value: secret.clientId },
    { label: say.clientSecret, value: secret.clientSecret },
  ]
  const add = (
    <AddButton size="xs" variant="default" onClick={() => setEdited('new')}>
      {say.newClient}
    </AddButton>
  )
  return (
    <Section title={say.clients} description={say.clientsHint} actions={add} flush>
      <List
        name="clients"
        query={clients}
        label={say.clients}
        columns={columns}
        rowKey={({ clientId }) => clientId}
        rowActions={actionsOf}
        empty={
          <EmptyState icon="link" title={say.clientsEmpty}>
            {say.clientsEmptyHint}
          </EmptyState>
        }
      />
      {edited && <OauthClientForm client={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} onMade={setSecret} />}
      <SecretModal title={say.clientMade} secrets={shown} onClose={() => setSecret(undefined)} />
    </Section>
  )
}

const useColumns = (): Column<OauthClient>[] => {
  const say = useText(text)
  const { name } = useText(accountText)
  return [
    { key: 'name', header: name, cell: (client) => client.name },
    { key: 'clientId', header: say.clientId, cell: ({ clientId }) => clientId },
    {
      key: 'redirectUris',
      header: say.backTo,
      cell: ({ redirectUris }) => (
        <Stack gap={2}>
          {redirectUris.map((uri) => (
            <Text key={uri} inherit style={{ overflowWrap: 'anywhere' }}>
              {uri}
            </Text>
          ))}
          {redirectUris.length === 0 && (
            <Text inherit c="dimmed">
              {say.noRedirect}
            </Text>
          )}
        </Stack>
      ),
    },
  ]
}

const useRowActions = (onEdit: (client: OauthClient) => void, onSecret: (secret: Secret) => void) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const onError = (error: unknown): void => toast.failed(error)
  const remove = useWrite('deleteOauthClient', { refreshes, onDone: () => toast.done(account.deleted) })
  const renew = useWrite('resetOauthClientSecret', { onDone: onSecret })
  const askRemove = async ({ clientId, name }: OauthClient): Promise<void> => {
    const question = { title: say.deleteClientTitle(name), body: say.deleteClientBody, confirm: say.deleteClient }
    if (await confirm(question)) remove.mutate([{ clientId }], { onError })
  }
  const askRenew = async ({ clientId, name }: OauthClient): Promise<void> => {
    const question = { title: say.newSecretTitle(name), body: say.newSecretBody, confirm: say.newSecret }
    if (await confirm(question)) renew.mutate([{ clientId }], { onError })
  }
  return (client: OauthClient) => (
    <RowMenu
      label={account.actionsFor(client.name)}
      actions={[
        { label: account.edit, icon: 'edit', onClick: () => onEdit(client) },
        { label: say.newSecret, icon: 'key', onClick: () => void askRenew(client) },
        { label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(client) },
      ]}
    />
  )
}
